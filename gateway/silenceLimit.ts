import type { Clock } from './clock';

/** Aborts a request after `limitMs` of silence, or at once when the execution is cancelled. */
export class SilenceLimit {
	phase: 'answer' | 'body' = 'answer';
	expired = false;
	private readonly controller = new AbortController();
	private lastProgress: number;
	private stopTimer: () => void;
	private readonly cancel = () => this.controller.abort();

	constructor(
		private readonly clock: Clock,
		private readonly limitMs: number,
		private readonly outer: AbortSignal | undefined,
	) {
		this.lastProgress = clock.now();
		this.stopTimer = clock.after(limitMs, () => this.check());
		outer?.addEventListener('abort', this.cancel, { once: true });
		if (outer?.aborted) this.cancel();
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Cheap: called for every chunk, it only notes the time; the timer looks at it when it fires. */
	progress(): void {
		this.lastProgress = this.clock.now();
	}

	end(): void {
		this.stopTimer();
		this.outer?.removeEventListener('abort', this.cancel);
	}

	private check(): void {
		const left = this.lastProgress + this.limitMs - this.clock.now();
		if (left > 1) {
			this.stopTimer = this.clock.after(left, () => this.check());
			return;
		}
		this.expired = true;
		this.controller.abort();
	}
}
