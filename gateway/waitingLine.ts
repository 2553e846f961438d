import { CancelledError } from './errors';

/** A first-come, first-served line that can be left at any time. */
export class WaitingLine {
	private readonly line = new Set<() => void>();

	get length(): number {
		return this.line.size;
	}

	/** Resolves when admitted; rejects at once with a CancelledError when `signal` is aborted. */
	async join(signal?: AbortSignal): Promise<void> {
		if (signal?.aborted) throw new CancelledError();
		await new Promise<void>((resolve, reject) => {
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
