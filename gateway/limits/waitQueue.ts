import { CancelledError } from '../errors/gatewayError';

/** A first-come, first-served line that can be left at any time. */
export class WaitQueue {
	private readonly line = new Set<() => void>();

	get length(): number {
		return this.line.size;
	}

	/** Resolves when admitted; rejects at once with a CancelledError when `signal` is aborted. */
	join(signal?: AbortSignal): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const admit = () => {
				signal?.removeEventListener('abort', leave);
				resolve();
			};
			const leave = () => {
				this.line.delete(admit);
				reject(new CancelledError());
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.line.add(admit);
		});
	}

	admitNext(): void {
		for (const admit of this.line) {
			this.line.delete(admit);
			admit();
			return;
		}
	}
}
