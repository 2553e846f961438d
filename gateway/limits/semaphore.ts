import { WaitQueue } from './waitQueue';

/** Allows a fixed number of requests in flight; the others queue. */
export class Semaphore {
	private readonly queue = new WaitQueue();
	private free: number;

	/** @param defer passes a released place on, at once unless the transport needs a moment */
	constructor(
		count: number,
		private readonly defer: (handOn: () => void) => void = (handOn) => handOn(),
	) {
		this.free = count;
	}

	/**
	 * Takes a place as soon as one is free. The caller must release it.
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
