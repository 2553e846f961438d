import { createHash } from 'node:crypto';
import type { Clock } from './clock';
import { CancelledError, type ServiceError } from './errors';
import { type Passage, Pace } from './pace';
import { backoff, LONGEST_PAUSE_MS } from './retry';
import { WaitingLine } from './waitingLine';

/** A limit is forgotten when nothing was sent for so long. */
const FORGET_AFTER_MS = 60_000;
/** Gates kept in memory; only a process that meets ever new keys reaches this. */
const MOST_GATES = 1_000;

/**
 * One gate per service and key. Every request passes at once until the service refuses one (429); then the
 * gate closes for everyone for as long as the service asks, and opens again at a pace that the service takes.
 */
export class RateGate {
	private readonly line = new WaitingLine();
	private readonly pace = new Pace();
	private stopTimer = () => {};
	private closedUntil = 0;
	private nextPassage = 0;
	private lastPassage = -Infinity;
	private lastRefusal = -Infinity;
	private refusalsInARow = 0;
	private passed = 0;
	private taken = 0;

	constructor(private readonly clock: Clock) {}

	/** Waits for its turn. Rejects at once with a CancelledError when `signal` is aborted. */
	async enter(signal?: AbortSignal): Promise<Passage> {
		if (signal?.aborted) throw new CancelledError();
		if (this.line.length === 0 && this.opensIn() === 0) this.pass();
		else await this.waitInLine(signal);
		const passage = this.passageNow();
		this.passed += 1;
		return passage;
	}

	/** The service took a request: it did not refuse it, whatever else became of it. */
	accept(): void {
		this.taken += 1;
		this.refusalsInARow = 0;
		this.pace.take(this.passageNow());
	}

	/**
	 * The service refused a request (429): nobody passes for as long as it asks.
	 * @returns whether the service took other requests since this one passed: then the key works and the
	 * request only has to wait for its turn
	 */
	refuse(error: ServiceError, passage: Passage): boolean {
		const now = this.clock.now();
		const pause = Math.min(error.retryAfterMs ?? backoff(this.refusalsInARow), LONGEST_PAUSE_MS);
		this.closedUntil = Math.max(this.closedUntil, now + pause);
		// Requests under way when the gate closed were refused for the same reason: they count once.
		if (passage.at >= this.lastRefusal) {
			this.refusalsInARow += 1;
			this.lastRefusal = now;
			this.pace.refuse(passage, now, pause, error.rateLimit?.limit);
		}
		return this.taken > passage.taken;
	}

	/** Nobody waits here and no limit is remembered. */
	isIdle(): boolean {
		const isFree = this.line.length === 0 && this.opensIn() === 0;
		return isFree && (!this.pace.isLimited || this.isForgotten());
	}

	/** Nothing was sent for long. A pause that the service asked for does not count. */
	private isForgotten(): boolean {
		const last = Math.max(this.lastPassage, this.closedUntil);
		return this.clock.now() - last > FORGET_AFTER_MS;
	}

	private passageNow(): Passage {
		return { at: this.clock.now(), passed: this.passed, taken: this.taken };
	}

	/** Milliseconds until the next request may pass. */
	private opensIn(): number {
		return Math.max(0, Math.max(this.closedUntil, this.nextPassage) - this.clock.now());
	}

	private pass(): void {
		if (this.isForgotten()) this.pace.forget();
		const now = this.clock.now();
		this.lastPassage = now;
		// A timer fires up to a millisecond late: what it cost is caught up.
		this.nextPassage = Math.max(this.nextPassage, now - 1) + this.pace.next(this.passageNow());
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
			this.pass();
			this.line.admitNext();
		}
		if (this.line.length > 0) this.startTimer();
	}
}

const gates = new Map<string, RateGate>();

/** The process-wide gate of this service and key, shared by all nodes and executions. */
export function rateGateFor(baseUrl: string, apiKey: string, clock: Clock): RateGate {
	const key = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64');
	const known = gates.get(key);
	if (known !== undefined) return known;
	if (gates.size >= MOST_GATES) {
		for (const [idleKey, gate] of gates) if (gate.isIdle()) gates.delete(idleKey);
	}
	const gate = new RateGate(clock);
	gates.set(key, gate);
	return gate;
}
