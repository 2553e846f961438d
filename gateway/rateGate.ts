import { createHash } from 'node:crypto';
import type { Clock } from './clock';
import { CancelledError, type ServiceError } from './errors';
import { backoff, LONGEST_PAUSE_MS } from './retry';
import { WaitingLine } from './waitingLine';

/** Over which the pace of a service is measured, and after which it is raised. */
const SECOND_MS = 1_000;
/** A new pace stays this far below the one that was refused, so that it is not refused again at once. */
const BELOW_REFUSED = 0.97;
/** A refusal lowers the pace to at most this part of it, and at least the other. */
const SMALLEST_DECREASE = 0.9;
const LARGEST_DECREASE = 0.5;
/** Every second without a refusal adds this part of the pace that was refused… */
const INCREASE = 0.05;
/** …or multiplies the pace by this while no limit was found yet. */
const SEARCH_FACTOR = 2;
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
	private refusedPace: number | undefined;
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
		if (now - this.lastRefusal > FORGET_AFTER_MS) {
			this.pace = undefined;
			this.refusedPace = undefined;
		} else if (now - this.lastRaise >= SECOND_MS) {
			this.lastRaise = now;
			this.pace =
				this.refusedPace === undefined
					? this.pace * SEARCH_FACTOR
					: Math.min(this.pace + INCREASE * this.refusedPace, BELOW_REFUSED * this.refusedPace);
		}
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
		this.startSecond(now);
		const announced =
			announcedLimit !== undefined && announcedLimit > 0
				? (announcedLimit * SECOND_MS) / Math.max(pause, SECOND_MS)
				: undefined;
		const measured = Math.max(this.second.accepted, this.second.before, 1);
		if (this.pace === undefined) {
			this.refusedPace = announced;
			this.pace = announced === undefined ? measured : announced * BELOW_REFUSED;
			return;
		}
		this.refusedPace = this.pace;
		const target = Math.min(announced ?? measured, this.pace * SMALLEST_DECREASE);
		this.pace = Math.max(target, this.pace * LARGEST_DECREASE);
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
