import type { Clock } from '../clock';
import { CancelledError, type GatewayError, ServiceError } from '../errors/gatewayError';
import { InFlightLimit } from './inFlightLimit';
import { LimitEstimator, type SentRequest } from './limitEstimator';
import type { Verdict } from './verdict';
import type { Party } from './waitQueue';

/** A limit is forgotten when nothing was sent for this long. */
const FORGET_AFTER_MS = 60_000;
/** After so many pauses in a row after which nothing was taken, or failures in a row, one request at a time asks. */
const MAX_IN_VAIN = 2;
/** A longer pause tells when the limit ends: two scopes with the same limit are told the same time, to the second. */
const SECOND_MS = 1_000;
/** Scopes that seemed to share a limit have one estimate for so long. */
const SHARED_FOR_MS = 300_000;
/** A refusal comes soon: the service is at work on a request that has no response for this long. */
const REFUSED_WITHIN_MS = 5_000;

/** A request that may be sent, until it has ended. */
export interface Permit extends SentRequest {
	/** Requests of the scope in flight when it was sent, itself included. */
	inFlight: number;
}

/** The service asks for a pause that is too long to wait for, or has taken nothing for long. */
export interface Suspension {
	/** What waits fails with this. */
	error: GatewayError;
	endsAt: number;
}

/**
 * What a service may limit by itself, such as the chats with one model, and what is known of that limit. Requests pass at once
 * until the service refuses one. Then all wait as long as the service asks, and continue at a rate it accepts.
 */
export class Scope implements Party {
	/** Requests that the service took. */
	taken = 0;
	/** Requests that it refused, or did not respond to. */
	refused = 0;
	/** Requests wait that would have been sent without the limit. */
	isHeld = false;
	private limit = new LimitEstimator();
	private number = new InFlightLimit();
	/** Sent and not ended, the oldest first. */
	private readonly inFlight = new Set<Permit>();
	/** It took a request since its limit was forgotten. */
	private isKnown = false;
	private failures = 0;
	/** When it refused the first request since it took one. */
	private refusesSince: number | undefined;
	/** The request whose outcome the others wait for. */
	private probe: Permit | undefined;
	private lastSuspension: Suspension | undefined;
	/** What waits fails, because a suspension began. */
	private failsWaiting = false;

	/** When the last request that was taken was sent, when the last was refused, and until when the service asked to wait. */
	private takenAt = -Infinity;
	private refusedAt = -Infinity;
	private pausedUntil = -Infinity;
	private sharedUntil = Infinity;

	/**
	 * @param isOfPolls polls of paid tasks do not wait for one another, and are sent during a long pause, too
	 * @param siblings all scopes of the key
	 * @param hasConnection whether one more request may be in flight
	 */
	constructor(
		private readonly clock: Clock,
		private readonly isOfPolls: boolean,
		private readonly siblings: ReadonlyMap<string, Scope>,
		private readonly hasConnection: () => boolean,
	) {}

	get mayGo(): boolean {
		return this.msUntilNext() === 0 && this.hasConnection();
	}

	/** Present while requests are sent one at a time, and the others fail with the one that is sent. */
	get suspension(): Suspension | undefined {
		const last = this.lastSuspension;
		return last !== undefined && this.clock.now() < last.endsAt ? last : undefined;
	}

	/** It limits how many requests are in flight, rather than a rate. */
	get isOfNumber(): boolean {
		return this.number.isKnown;
	}

	/** It responded before, and to none of the last requests. */
	get isAway(): boolean {
		return this.isKnown && !this.isOfPolls && this.failures >= MAX_IN_VAIN;
	}

	/** Milliseconds since the service refused the first request after the last one that it took. */
	get refusesForMs(): number {
		return this.isOfPolls ? 0 : this.clock.now() - (this.refusesSince ?? this.clock.now());
	}

	/** Pauses in a row after which the service took nothing, although it took requests before. */
	get inVain(): number {
		return this.isKnown && !this.isOfPolls && !this.isOfNumber ? this.limit.inVain : 0;
	}

	/** Nothing is in flight and no limit is known. */
	get isIdle(): boolean {
		if (this.suspension !== undefined || this.inFlight.size > 0) return false;
		return this.isForgettable || (!this.limit.isLimited && this.msUntilNext() === 0);
	}

	/** Milliseconds until the next request may be sent; Infinity: when another one has ended. */
	msUntilNext(): number {
		if (!this.number.allows(this.inFlight.size)) return Infinity;
		const now = this.clock.now();
		const { probe, suspension } = this;
		const probedUntil = suspension?.endsAt ?? (probe?.sentAt ?? -Infinity) + REFUSED_WITHIN_MS;
		return Math.max(this.limit.msUntilNext(now), probe === undefined ? 0 : probedUntil - now);
	}

	/** A request arrives, and none waits. */
	forgetIfUnused(): void {
		if (!this.isForgettable) return;
		this.limit = new LimitEstimator();
		this.number = new InFlightLimit();
		this.isKnown = false;
		this.refusesSince = undefined;
		this.sharedUntil = Infinity;
	}

	/** A request is about to be sent. `end` must follow. */
	send(): Permit {
		const sent = this.limit.send(this.clock.now(), this.isHeld);
		const permit = { ...sent, inFlight: this.inFlight.size + 1 };
		this.inFlight.add(permit);
		if (this.suspension !== undefined || this.inVain >= MAX_IN_VAIN) this.probe = permit;
		return permit;
	}

	/** The service took the request: it did not refuse it, whatever the outcome. */
	take(permit: Permit): void {
		this.taken += 1;
		this.isKnown = true;
		this.failures = 0;
		this.refusesSince = undefined;
		this.takenAt = permit.sentAt;
		this.limit.accept(permit, this.clock.now());
		this.number.accept(permit.inFlight);
		if (this.probe === permit) this.lift();
	}

	/** Whether the service works on a request that was sent before the last pause. */
	isAtWork({ period }: Permit): boolean {
		return [...this.inFlight].some((older) => older.period !== period);
	}

	/**
	 * The service refused the request, or did not respond to it.
	 * @returns whether it waits with all others, in the queue
	 */
	fail(permit: Permit, error: GatewayError, verdict: Verdict): boolean {
		const { pauseMs, isRefused, holdsScope, suspendsMs } = verdict;
		if (!isRefused && !(error instanceof CancelledError)) this.failures += 1;
		if (isRefused) this.refused += 1;
		if (suspendsMs !== undefined) this.suspend(permit, error, suspendsMs);
		else if (holdsScope && pauseMs !== undefined) {
			const stated = error instanceof ServiceError ? error.retryAfterMs : undefined;
			return this.refuse(permit, pauseMs, stated ?? 0);
		} else if (isRefused) permit.period.excuse();
		return false;
	}

	/**
	 * @param pause milliseconds without requests
	 * @param stated what the service asked for
	 */
	private refuse(permit: Permit, pause: number, stated: number): boolean {
		const now = this.clock.now();
		const older = [...this.inFlight].indexOf(permit);
		if (now > this.sharedUntil) {
			this.limit = new LimitEstimator();
			this.sharedUntil = Infinity;
		}
		if (this.probe === permit && this.suspension?.endsAt !== Infinity) this.lift();
		if (!this.limit.refuse(permit, now, pause, older)) return false;
		this.number.refuse(older, permit.period.taken === 0);
		this.refusesSince ??= now;
		this.pausedUntil = now + stated;
		this.shareLimit(stated > SECOND_MS, older === 0);
		this.refusedAt = now;
		return true;
	}

	/**
	 * Finds scopes of the key that have the same limit: they are told to wait until the same time. Or, where a service takes no
	 * burst and all pauses are a second: others are taken, and take what this one waits for.
	 * @param isFirst whether no older request may be the reason for the refusal
	 */
	private shareLimit(isLong: boolean, isFirst: boolean): void {
		const now = this.clock.now();
		if (!isLong && (!isFirst || this.limit.inVain === 0)) return;
		// Some services lengthen a pause for each request that is sent meanwhile.
		const apart = SECOND_MS + (this.pausedUntil - now) / 10;
		const others = [...this.siblings.values()].filter((scope) =>
			isLong
				? Math.abs(scope.pausedUntil - this.pausedUntil) <= apart
				: scope.refusedAt > now - REFUSED_WITHIN_MS,
		);
		const isTaken = (scope: Scope) => isLong || scope.takenAt > this.refusedAt;
		if (!others.some((scope) => scope.limit !== this.limit && isTaken(scope))) return;
		const limit = new LimitEstimator();
		for (const scope of new Set([this, ...others])) {
			limit.closedUntil = Math.max(limit.closedUntil, scope.limit.closedUntil);
			scope.limit = limit;
			scope.sharedUntil = now + SHARED_FOR_MS;
		}
	}

	/** @param ms how long requests are sent one at a time */
	private suspend(permit: Permit, error: GatewayError, ms: number): void {
		// Requests that were in flight when the suspension began fail, too, while the first probe is sent.
		if (this.isOfPolls || (this.suspension !== undefined && permit !== this.probe)) return;
		this.failsWaiting = true;
		this.lastSuspension = { error, endsAt: this.clock.now() + ms };
	}

	/**
	 * The request is no longer in flight.
	 * @returns what the requests fail with that wait for its outcome
	 */
	end(permit: Permit): GatewayError | undefined {
		const fails = this.failsWaiting || this.probe === permit;
		this.failsWaiting = false;
		this.inFlight.delete(permit);
		if (this.probe === permit) this.probe = undefined;
		return fails ? this.suspension?.error : undefined;
	}

	private lift(): void {
		this.probe = undefined;
		this.lastSuspension = undefined;
	}

	private get isForgettable(): boolean {
		const lastAt = Math.max(this.limit.period.lastAt, this.limit.closedUntil);
		return this.clock.now() - lastAt > FORGET_AFTER_MS;
	}
}
