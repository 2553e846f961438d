import { CancelledError } from './errors';
import { WaitingLine } from './waitingLine';

/** Lets a fixed number of pieces of work run at once; the others wait in line. */
export class Slots {
	private readonly line = new WaitingLine();
	private free: number;

	constructor(count: number) {
		this.free = count;
	}

	/**
	 * Runs `work` when a slot is free.
	 * @throws CancelledError at once when `signal` is aborted while waiting
	 */
	async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
		if (signal?.aborted) throw new CancelledError();
		if (this.free > 0) this.free -= 1;
		else await this.line.join(signal);
		try {
			return await work();
		} finally {
			// undici uses a connection again one turn of the event loop after its answer; sooner, it opens another.
			setImmediate(() => this.release());
		}
	}

	private release(): void {
		if (this.line.length > 0) this.line.admitNext();
		else this.free += 1;
	}
}
