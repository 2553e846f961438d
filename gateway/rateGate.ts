import { createHash } from 'node:crypto';
import type { Clock } from './clock';
import { CancelledError, type ServiceError } from './errors';
import { backoff, LONGEST_PAUSE_MS } from './retry';
import { WaitingLine } from './waitingLine';

/** Over which the pace of a service is measured. */
const SECOND_MS = 1_000;
/** An announced or measured pace is kept to this part, so that jitter on the way does not break it. */
const MARGIN = 0.97;
/** A refusal lowers the pace to at most this part of it, and at least the other. */
const SMALLEST_DECREASE = 0.95;
const LARGEST_DECREASE = 0.5;
/** While the limit is still looked for, the pace is multiplied by this… */
const SEARCH_FACTOR = 2;
/** …each time this went well. */
const SEARCH_STEP_MS = 500;
/** A first refusal does not make everyone slower than this many requests a second: it may stand alone. */
const SLOWEST_START = 4;
/** A found pace is held this long, since every refusal closes the gate for a second or more… */
const HOLD_MS = 10_000;
/** …and then grows by this part each second. */
const GROWTH = 0.02;
/** A limit that has not been felt for this long is forgotten. */
const FORGET_AFTER_MS = 60_000;
/** Gates kept in memory; only a process that meets ever new keys reaches this. */
const MOST_GATES = 1_000;

/** What a request knows of its way through the gate. */
export interface Passage {
	/** When it passed. */
	at: number;
	/** How many requests the service had taken by then. */
	accepted: number;
}

/**
 * One gate per service and key. Every request passes at once until the service refuses one (429); then the
 * gate closes for everyone for as long as the service asks, and opens again at a pace that the service takes:
 * lowered by a factor on a refusal, raised in small steps afterwards, held just below the refused pace.
 */
export class RateGate {
	private readonly line = new WaitingLine();
	private stopTimer = () => {};
	private closedUntil = 0;
	private nextPassage = 0;
	/** Requests a second; undefined: no limit is known. */
	private pace: number | undefined;
	private highestPace = Infinity;
	/** No limit was announced, and none found yet. */
	private isSearching = false;
	private lastRefusal = -Infinity;
	private lastRaise = 0;
	private refusalsInARow = 0;
	private accepted = 0;
	private second = { start: 0, accepted: 0, before: 0 };

	constructor(private readonly clock: Clock) {}

	/** Waits for its turn. Rejects at once with a CancelledError when `signal` is aborted. */
	async enter(signal?: AbortSignal): Promise<Passage> {
		if (signal?.aborted) throw new CancelledError();
		if (this.line.length === 0 && this.opensIn() === 0) this.pass();
		else await this.waitInLine(signal);
		return { at: this.clock.now(), accepted: this.accepted };
	}

	/** The service took a request: it did not refuse it, whatever else became of it. */
	accept(): void {
		const now = this.clock.now();
		this.accepted += 1;
		this.refusalsInARow = 0;
		this.startSecond(now);
		this.second.accepted += 1;
		if (this.pace === undefined) return;
		if (now - this.lastRefusal > FORGET_AFTER_MS) this.pace = undefined;
		else this.speedUp(now);
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
			this.lastRaise = now + pause;
			this.slowDown(error.rateLimit?.limit, now, pause);
		}
		return this.accepted > passage.accepted;
	}

	/** Nobody waits here and no limit is known. */
	isIdle(): boolean {
		return this.line.length === 0 && this.pace === undefined && this.opensIn() === 0;
	}

	private slowDown(announcedLimit: number | undefined, now: number, pause: number): void {
		// The allowance belongs to a window that the document does not name; the pause is its rest.
		const spread = ((announcedLimit ?? 0) * SECOND_MS) / Math.max(pause, SECOND_MS);
		const announced = spread < SLOWEST_START ? undefined : spread;
		const taken = announced ?? this.measure(now);
		this.highestPace = announced === undefined ? Infinity : announced * MARGIN;
		if (this.pace === undefined) {
			this.isSearching = announced === undefined;
			this.pace = Math.max(taken, SLOWEST_START) * MARGIN;
		} else {
			this.isSearching = false;
			const target = Math.min(taken * MARGIN, this.pace * SMALLEST_DECREASE);
			this.pace = Math.max(target, this.pace * LARGEST_DECREASE);
		}
	}

	private speedUp(now: number): void {
		if (this.pace === undefined) return;
		const isHolding = !this.isSearching && now - this.lastRefusal < HOLD_MS;
		if (isHolding || now - this.lastRaise < (this.isSearching ? SEARCH_STEP_MS : SECOND_MS)) return;
		this.lastRaise = now;
		this.pace = Math.min(
			this.pace * (this.isSearching ? SEARCH_FACTOR : 1 + GROWTH),
			Math.max(this.highestPace, this.pace),
		);
	}

	/** Requests that the service took within the last second. */
	private measure(now: number): number {
		this.startSecond(now);
		const { start, accepted, before } = this.second;
		return Math.max(1, accepted + before * (1 - (now - start) / SECOND_MS));
	}

	private startSecond(now: number): void {
		const elapsed = now - this.second.start;
		if (elapsed < SECOND_MS) return;
		const before = elapsed < 2 * SECOND_MS ? this.second.accepted : 0;
		this.second = { start: now, accepted: 0, before };
	}

	/** Milliseconds until the next request may pass. */
	private opensIn(): number {
		return Math.max(0, Math.max(this.closedUntil, this.nextPassage) - this.clock.now());
	}

	private pass(): void {
		if (this.pace === undefined) return;
		this.nextPassage = Math.max(this.nextPassage, this.clock.now() - 1) + SECOND_MS / this.pace;
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
