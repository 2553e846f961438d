import { CancelledError } from '../errors/gatewayError';

interface Waiter {
	admit: () => void;
	fail: (error: unknown) => void;
	/** `failAll` does not apply. */
	stays: boolean;
}

/** A first-come, first-served queue that can be left at any time. */
export class WaitQueue {
	private readonly waiters = new Set<Waiter>();

	get length(): number {
		return this.waiters.size;
	}

	/**
	 * Resolves when admitted; rejects at once with a CancelledError when `signal` is aborted.
	 * @param stays whether `failAll` does not apply
	 */
	join(signal?: AbortSignal, stays = false): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const leave = () => {
				this.waiters.delete(waiter);
				signal?.removeEventListener('abort', cancel);
			};
			const waiter: Waiter = {
				admit: () => {
					leave();
					resolve();
				},
				fail: (error) => {
					leave();
					reject(error);
				},
				stays,
			};
			const cancel = () => waiter.fail(new CancelledError());
			signal?.addEventListener('abort', cancel, { once: true });
			this.waiters.add(waiter);
		});
	}

	admitNext(): void {
		const [next] = this.waiters;
		next?.admit();
	}

	admitAll(): void {
		for (const waiter of this.waiters) waiter.admit();
	}

	failAll(error: unknown): void {
		for (const waiter of this.waiters) if (!waiter.stays) waiter.fail(error);
	}
}
