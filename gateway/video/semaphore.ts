import { type Party, WaitQueue } from '../limits/waitQueue';

const ANYONE: Party = { mayGo: true };

/** Allows a fixed number of things at once; the others queue. */
export class Semaphore {
	private readonly queue = new WaitQueue();

	constructor(private free: number) {}

	/**
	 * Resolves as soon as one more may begin. The caller must release it.
	 * @throws CancelledError at once when `signal` is aborted while waiting
	 */
	acquire(signal?: AbortSignal): Promise<void> {
		if (this.free === 0 || signal?.aborted) return this.queue.join([ANYONE], () => {}, signal);
		this.free -= 1;
		return Promise.resolve();
	}

	release(): void {
		if (!this.queue.admitNext()) this.free += 1;
	}
}
