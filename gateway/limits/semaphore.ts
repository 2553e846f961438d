import { WaitQueue } from './waitQueue';

/** Lets a fixed number of pieces of work run at once; the others wait in line. */
export class Semaphore {
	private readonly line = new WaitQueue();
	private free: number;

	constructor(count: number) {
		this.free = count;
	}

	/**
	 * Takes a slot, as soon as one is free. Whoever took one must leave it.
	 * @throws CancelledError at once when `signal` is aborted while waiting
	 */
	acquire(signal?: AbortSignal): Promise<void> {
		if (this.free === 0 || signal?.aborted) return this.line.join(signal);
		this.free -= 1;
		return Promise.resolve();
	}

	release(): void {
		// undici uses a connection again one turn of the event loop after its answer; sooner, it opens another.
		setImmediate(this.handOn);
	}

	private readonly handOn = () => {
		if (this.line.length > 0) this.line.admitNext();
		else this.free += 1;
	};
}
