import type { Clock } from '../clock';
import { CancelledError, type ServiceError } from '../errors/gatewayError';
import { sha256 } from '../hash';
import { type Passage, LimitEstimator } from './limitEstimator';
import { backoff, LONGEST_PAUSE_MS } from './retryPolicy';
import { WaitQueue } from './waitQueue';

/** A limit is forgotten when nothing was sent for so long. */
const FORGET_AFTER_MS = 60_000;
/** Gates kept in memory; only a process that meets ever new keys reaches this. */
const MOST_LIMITERS = 1_000;

/** What a request knows of its way through the gate. */
export interface Turn extends Passage {
	/** How many requests the service had taken by then. */
	taken: number;
}

/**
 * One gate per service and key. Every request passes at once until the service refuses one (429); then the
 * gate closes for everyone for as long as the service asks, and opens again at a pace that the service takes.
 */
export class RateLimiter {
	private readonly line = new WaitQueue();
	private readonly pace = new LimitEstimator();
	private stopTimer = () => {};
	private refusalsInARow = 0;
	private taken = 0;

	constructor(private readonly clock: Clock) {}

	/** Waits for its turn. Rejects at once with a CancelledError when `signal` is aborted. */
	async enter(signal?: AbortSignal): Promise<Turn> {
		if (signal?.aborted) throw new CancelledError();
		if (this.isForgotten()) this.pace.forget();
		if (this.line.length === 0 && this.opensIn() === 0) this.pace.pass(this.clock.now(), false);
		else await this.waitInLine(signal);
		return { at: this.clock.now(), stretch: this.pace.stretch, taken: this.taken };
	}

	/** The service took a request: it did not refuse it, whatever else became of it. */
	accept(turn: Turn): void {
		this.taken += 1;
		this.refusalsInARow = 0;
		this.pace.take(turn, this.clock.now());
	}

	/**
	 * The service refused a request (429): nobody passes for as long as it asks.
	 * @returns whether the service took other requests since this one passed: then the key works and the
	 * request only has to wait for its turn
	 */
	refuse(error: ServiceError, turn: Turn): boolean {
		const pause = error.retryAfterMs ?? backoff(this.refusalsInARow);
		// Requests under way when the gate closed were refused for the same reason: they count once.
		if (!turn.stretch.isOver) this.refusalsInARow += 1;
		const bounded = Math.min(pause, LONGEST_PAUSE_MS);
		this.pace.refuse(turn, this.clock.now(), bounded, error.rateLimit?.limit);
		return this.taken > turn.taken;
	}

	/** Nobody waits here and no limit is remembered. */
	isIdle(): boolean {
		if (this.isForgotten()) return true;
		return this.line.length === 0 && this.opensIn() === 0 && !this.pace.isLimited;
	}

	/** Nobody waits, and nothing was sent for long. A pause that the service asked for does not count. */
	private isForgotten(): boolean {
		const last = Math.max(this.pace.stretch.lastAt, this.pace.closedUntil);
		return this.line.length === 0 && this.clock.now() - last > FORGET_AFTER_MS;
	}

	/** Milliseconds until the next request may pass. */
	private opensIn(): number {
		return this.pace.opensIn(this.clock.now());
	}

	private async waitInLine(signal: AbortSignal | undefined): Promise<void> {
		const admitted = this.line.join(signal);
		this.startTimer();
		try {
			await admitted;
		} finally {
			if (this.line.length === 0) this.stopTimer();
		}
	}

	private startTimer(): void {
		this.stopTimer();
		this.stopTimer = this.clock.after(Math.ceil(this.opensIn()), () => this.admit());
	}

	private admit(): void {
		while (this.line.length > 0 && this.opensIn() === 0) {
			this.pace.pass(this.clock.now(), true);
			this.line.admitNext();
		}
		if (this.line.length > 0) this.startTimer();
	}
}

const limiters = new Map<string, RateLimiter>();

/** The process-wide gate of this service and key, shared by all nodes and executions. */
export function rateLimiterFor(baseUrl: string, apiKey: string, clock: Clock): RateLimiter {
	const key = sha256(`${baseUrl}\n${apiKey}`);
	const known = limiters.get(key);
	if (known !== undefined) return known;
	if (limiters.size >= MOST_LIMITERS) {
		for (const [idleKey, gate] of limiters) if (gate.isIdle()) limiters.delete(idleKey);
	}
	const gate = new RateLimiter(clock);
	limiters.set(key, gate);
	return gate;
}
