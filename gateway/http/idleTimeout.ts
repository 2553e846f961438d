import type { Clock } from '../clock';

/** A host that takes longer to connect is down; n8n's users should not wait minutes to find out. */
export const CONNECT_TIMEOUT_MS = 10_000;

type Phase = 'connecting' | 'response' | 'body';

/**
 * Gives work up after `limitMs` of silence, or at once when the execution is cancelled. Silence begins when the request
 * is written; a connection has ten seconds, or `limitMs` where that is less.
 */
export class IdleTimeout {
	expired = false;
	private isGivenUp = false;
	private isLastTurn = false;
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
		public phase: Phase = 'response',
	) {
		this.lastProgress = clock.now();
		this.stopTimer = clock.after(this.phaseLimitMs, () => this.check());
		signal?.addEventListener('abort', this.giveUp, { once: true });
		if (signal?.aborted) this.isGivenUp = true;
	}

	/**
	 * `stop` runs when the work is given up, at once if it already is. There is only one: an
	 * AbortController for each request would cost more than its time limit.
	 */
	whenGivenUp(stop: () => void): void {
		this.stop = stop;
		if (this.isGivenUp) stop();
	}

	/** @returns how long the phase before took since its last progress, in milliseconds */
	enter(phase: Phase): number {
		const before = this.lastProgress;
		this.phase = phase;
		this.progress();
		return this.lastProgress - before;
	}

	/** Cheap, since it runs for every chunk: it only notes the time, and the timer checks it when it fires. */
	progress(): void {
		this.lastProgress = this.clock.now();
	}

	end(): void {
		this.stopTimer();
		this.signal?.removeEventListener('abort', this.giveUp);
	}

	private get phaseLimitMs(): number {
		return this.phase === 'connecting' ? Math.min(this.limitMs, CONNECT_TIMEOUT_MS) : this.limitMs;
	}

	private check(): void {
		const left = this.lastProgress + this.phaseLimitMs - this.clock.now();
		// A process that was busy has not read yet what arrived meanwhile: it gets one turn of the event loop to do so.
		const isDue = left <= 1 && this.isLastTurn;
		if (!isDue) {
			this.isLastTurn = left <= 1;
			this.stopTimer = this.clock.after(Math.max(left, 0), () => this.check());
			return;
		}
		this.expired = true;
		this.giveUp();
	}
}
