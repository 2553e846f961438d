import type { Clock } from '../clock';

/** Gives work up after `limitMs` of silence, or at once when the execution is cancelled. */
export class IdleTimeout {
	phase: 'answer' | 'body' = 'answer';
	expired = false;
	private isGivenUp = false;
	private stop = () => {};
	private lastProgress: number;
	private stopTimer: () => void;
	private readonly giveUp = () => {
		this.isGivenUp = true;
		this.stop();
	};

	constructor(
		private readonly clock: Clock,
		private readonly limitMs: number,
		private readonly signal: AbortSignal | undefined,
	) {
		this.lastProgress = clock.now();
		this.stopTimer = clock.after(limitMs, () => this.check());
		signal?.addEventListener('abort', this.giveUp, { once: true });
		if (signal?.aborted) this.isGivenUp = true;
	}

	/**
	 * `stop` runs when the work is given up, at once if it already is. One work has one way to stop it: an
	 * AbortController for each request would cost more than its time limit.
	 */
	whenGivenUp(stop: () => void): void {
		this.stop = stop;
		if (this.isGivenUp) stop();
	}

	/** Cheap: called for every chunk, it only notes the time; the timer looks at it when it fires. */
	progress(): void {
		this.lastProgress = this.clock.now();
	}

	end(): void {
		this.stopTimer();
		this.signal?.removeEventListener('abort', this.giveUp);
	}

	private check(): void {
		const left = this.lastProgress + this.limitMs - this.clock.now();
		if (left > 1) {
			this.stopTimer = this.clock.after(left, () => this.check());
			return;
		}
		this.expired = true;
		this.giveUp();
	}
}
