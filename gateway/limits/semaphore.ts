import { WaitQueue } from './waitQueue';

/** Lets a fixed number of requests be in flight at once; the others wait in line. */
export class Semaphore {
	private readonly queue = new WaitQueue();
	private free: number;

	/** @param defer hands a released place on, perhaps a little later: at once, unless the transport asks for more */
	constructor(
		count: number,
		private readonly defer: (handOn: () => void) => void = (handOn) => handOn(),
	) {
		this.free = count;
	}

	/**
	 * Takes a place as soon as one is free. Whoever took one must release it.
	 * @throws CancelledError at once when `signal` is aborted while waiting
	 */
	acquire(signal?: AbortSignal): Promise<void> {
		if (this.free === 0 || signal?.aborted) return this.queue.join(signal);
		this.free -= 1;
		return Promise.resolve();
	}

	release(): void {
		this.defer(this.handOn);
	}

	private readonly handOn = () => {
		if (this.queue.length > 0) this.queue.admitNext();
		else this.free += 1;
	};
}
