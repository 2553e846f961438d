import type { Clock } from '../clock';

/** A host that takes longer to connect is down; n8n's users should not wait minutes to find out. */
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Gateways send comments or spaces while a model thinks, so any byte counts. Without a part of the answer for this many times
 * the limit, a request has timed out.
 */
const MAX_LIMITS_WITHOUT_CONTENT = 4;

/** In the phase `content`, which only an expiry shows, only bytes that keep the connection alive arrived. */
type Phase = 'connecting' | 'response' | 'body' | 'content';

/**
 * Gives work up after `limitMs` of silence, or at once when the execution is cancelled. Silence begins when the request
 * is written; a connection has ten seconds, or `limitMs` where that is less.
 */
export class IdleTimeout {
	expired = false;
	private isLastTurn = false;
	private stop = () => {};
	private lastProgress: number;
	private lastContent: number;
	private stopTimer: () => void;
	private readonly giveUp = () => this.stop();

	constructor(
		private readonly clock: Clock,
		private readonly limitMs: number,
		private readonly signal: AbortSignal | undefined,
		public phase: Phase = 'response',
		/** The response must begin within this time. Its body may be silent for the time limit of all phases. */
		private readonly responseLimitMs = Infinity,
	) {
		this.lastProgress = this.lastContent = clock.now();
		this.stopTimer = clock.after(this.phaseLimitMs, () => this.check());
		signal?.addEventListener('abort', this.giveUp, { once: true });
	}

	/**
	 * `stop` runs when the work is given up, at once if it already is. There is only one: an
	 * AbortController for each request would cost more than its time limit.
	 */
	whenGivenUp(stop: () => void): void {
		this.stop = stop;
		if (this.expired || this.signal?.aborted) stop();
	}

	/** @returns how long the phase before took since its last progress, in milliseconds */
	enter(phase: Phase): number {
		const before = this.lastProgress;
		this.phase = phase;
		this.progress();
		return this.lastProgress - before;
	}

	/**
	 * Cheap, since it runs for every chunk: it only notes the time, and the timer checks it when it fires.
	 * @param isContent false for bytes that may only keep the connection alive
	 */
	progress(isContent = true): void {
		this.lastProgress = this.clock.now();
		if (isContent) this.lastContent = this.lastProgress;
	}

	end(): void {
		this.stopTimer();
		this.signal?.removeEventListener('abort', this.giveUp);
	}

	/** How much silence ends the phase. */
	get phaseLimitMs(): number {
		if (this.phase === 'connecting') return Math.min(this.limitMs, CONNECT_TIMEOUT_MS);
		if (this.phase === 'response') return Math.min(this.limitMs, this.responseLimitMs);
		return this.phase === 'content' ? MAX_LIMITS_WITHOUT_CONTENT * this.limitMs : this.limitMs;
	}

	private check(): void {
		const now = this.clock.now();
		const silentIn = this.lastProgress + this.phaseLimitMs - now;
		const left = Math.min(
			silentIn,
			this.lastContent + MAX_LIMITS_WITHOUT_CONTENT * this.limitMs - now,
		);
		// A process that was busy has not read yet what arrived meanwhile: it gets one turn of the event loop to do so.
		const isOver = left <= 0;
		if (!isOver || !this.isLastTurn) {
			this.isLastTurn = isOver;
			this.stopTimer = this.clock.after(Math.max(left, 0), () => this.check());
			return;
		}
		if (left < silentIn) this.phase = 'content';
		this.expired = true;
		this.giveUp();
	}
}
