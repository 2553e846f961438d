import type { Clock } from '../clock';
import { CancelledError, type GatewayError, NoResponseError } from '../errors/gatewayError';
import { InFlightLimit } from './inFlightLimit';
import { LimitEstimator, SECOND_MS, type SentRequest } from './limitEstimator';
import type { ScopeState, Verdict } from './verdict';
import type { Party } from './waitQueue';

/** A limit is forgotten when nothing was sent for this long. */
const FORGET_AFTER_MS = 60_000;
/** After so many pauses in a row after which nothing was taken, or failures in a row, one request at a time asks. */
const MAX_IN_VAIN = 2;
/** A refusal comes soon: the service is at work on a request that has no response for this long. */
const REFUSED_WITHIN_MS = 5_000;

/** A request that may be sent, until it has ended. */
export interface Permit extends SentRequest {
	/** Requests of the scope in flight when it was sent, itself included. */
	inFlight: number;
}

/**
 * What a service may limit by itself, such as the chats with one model, and what is known of that limit. Requests pass at once
 * until the service refuses one. Then all wait as long as the service asks, and continue at a rate it accepts.
 */
export class Scope implements Party, ScopeState {
	/** Requests that wait to be sent. */
	waiting = 0;
	/** Requests that the service took, and that it refused, unless the refusal was of that request alone. */
	taken = 0;
	refused = 0;
	private limit = new LimitEstimator();
	private readonly inFlightLimit = new InFlightLimit();
	/** Sent and not ended, the oldest first. */
	private readonly inFlight = new Set<Permit>();
	/** Requests in a row without a response of the service. */
	private failures = 0;
	/** When it refused the first request since it took one. */
	private refusesSince: number | undefined;
	/** The request whose outcome the others wait for. */
	private probe: Permit | undefined;
	/** The service asks for a pause that is too long to wait for, or has taken nothing for long: what waits fails with this. */
	private suspended: { error: GatewayError; endsAt: number } | undefined;

	/**
	 * @param isOfPolls polls of paid tasks do not wait for one another, and are sent during a long pause, too
	 * @param hasConnection whether one more request may be in flight
	 */
	constructor(
		private readonly clock: Clock,
		readonly key: Key,
		readonly kind: 'gets' | 'posts',
		private readonly isOfPolls: boolean,
		private readonly hasConnection: () => boolean,
	) {}

	/** Present while requests are sent one at a time, and the others fail with the one that is sent. */
	get suspension(): GatewayError | undefined {
		return this.clock.now() < (this.suspended?.endsAt ?? 0) ? this.suspended?.error : undefined;
	}

	get limitsInFlight(): boolean {
		return this.inFlightLimit.isKnown;
	}

	get isAway(): boolean {
		return this.isKnown && this.failures >= MAX_IN_VAIN;
	}

	get refusesForMs(): number {
		return this.isOfPolls ? 0 : this.clock.now() - (this.refusesSince ?? this.clock.now());
	}

	get inVain(): number {
		return this.isKnown && !this.limitsInFlight ? this.limit.inVain : 0;
	}

	/** Nothing is known of it any more. */
	get isIdle(): boolean {
		const { inFlight, waiting, suspension, limit, clock } = this;
		if (inFlight.size > 0 || waiting > 0 || suspension !== undefined) return false;
		return clock.now() - Math.max(limit.period.lastAt, limit.closedUntil) > FORGET_AFTER_MS;
	}

	/** Milliseconds until the next request may be sent; Infinity: when another one has ended. */
	msUntilNext(): number {
		if (!this.inFlightLimit.allows(this.inFlight.size) || !this.hasConnection()) return Infinity;
		const now = this.clock.now();
		const ms = this.limit.msUntilNext(now);
		if (this.probe === undefined) return ms;
		const endsAt = this.suspension && this.suspended?.endsAt;
		return Math.max(ms, (endsAt ?? this.probe.sentAt + REFUSED_WITHIN_MS) - now);
	}

	/** A request is about to be sent. `end` must follow. */
	send(): Permit {
		const permit = { ...this.limit.send(this.clock.now()), inFlight: this.inFlight.size + 1 };
		this.inFlight.add(permit);
		if (this.suspension !== undefined || this.inVain >= MAX_IN_VAIN) this.probe = permit;
		return permit;
	}

	/** The service took the request: it did not refuse it, whatever the outcome. */
	take(permit: Permit): void {
		this.taken += 1;
		this.failures = 0;
		this.refusesSince = undefined;
		this.limit.accept(permit, this.clock.now());
		this.inFlightLimit.accept(permit.inFlight);
		if (this.probe === permit) this.lift();
	}

	/** Whether the service works on a request that was sent before the last pause, and this one after it. */
	isAtWork({ period, sentAt }: Permit): boolean {
		return [...this.inFlight].some((other) => other.period !== period && other.sentAt < sentAt);
	}

	/**
	 * The service refused the request, or did not respond to it.
	 * @returns whether it waits with all others, in the queue
	 */
	fail(permit: Permit, error: GatewayError, verdict: Verdict): boolean {
		const { pauseMs, isRefused, isSingledOut, holdsScope, suspendsMs } = verdict;
		if (isRefused && !isSingledOut) this.refused += 1;
		if (!isRefused && !(error instanceof CancelledError)) this.failures += 1;
		if (suspendsMs !== undefined) this.suspend(permit, error, suspendsMs);
		else if (holdsScope && pauseMs !== undefined)
			return this.refuse(permit, pauseMs, error.retryAfterMs ?? 0);
		else if (isRefused) permit.period.excuse();
		else if (this.wasNeverSent(error)) this.limit.giveBack(permit);
		return false;
	}

	/** Of a GET nothing says whether it was sent. */
	private wasNeverSent(error: GatewayError): boolean {
		return this.kind === 'posts' && error instanceof NoResponseError && !error.mayHaveBeenAccepted;
	}

	/**
	 * @param pause milliseconds without requests
	 * @param stated how many of them the service asked for
	 */
	private refuse(permit: Permit, pause: number, stated: number): boolean {
		const now = this.clock.now();
		const older = [...this.inFlight].indexOf(permit);
		if (this.probe === permit) this.lift();
		if (!this.limit.refuse(permit, now, pause)) return false;
		this.inFlightLimit.refuse(older, permit.period.taken === 0);
		this.refusesSince ??= now;
		this.shareLimit(stated);
		return true;
	}

	/**
	 * Scopes of the key that are told to wait until the same time have the same limit. If all pauses are a second, that may be
	 * chance, unless the service took nothing after the last pause: others took what this one waited for.
	 */
	private shareLimit(ms: number): void {
		if (ms <= (this.limit.inVain === 0 ? SECOND_MS : 0)) return;
		// Some services lengthen a pause for each request that is sent meanwhile.
		const apart = SECOND_MS + ms / 10;
		const sharing = [...this.key.scopes.values()].filter(
			({ limit }) => Math.abs(limit.closedUntil - this.limit.closedUntil) <= apart,
		);
		if (sharing.every(({ limit }) => limit === this.limit)) return;
		const limit = new LimitEstimator();
		limit.closedUntil = Math.max(...sharing.map((scope) => scope.limit.closedUntil));
		for (const scope of sharing) scope.limit = limit;
	}

	/** @param ms how long requests are sent one at a time */
	private suspend(permit: Permit, error: GatewayError, ms: number): void {
		// Requests that were in flight when the suspension began fail, too, while the first probe is sent.
		if (this.isOfPolls || (this.suspension !== undefined && permit !== this.probe)) return;
		this.probe = permit;
		// What fails with it was not sent as often.
		const shared = Object.create(error, { sent: { value: 1, writable: true } }) as GatewayError;
		this.suspended = { error: shared, endsAt: this.clock.now() + ms };
		// When it is over, what was known is old.
		this.limit = new LimitEstimator();
	}

	/**
	 * The request is no longer in flight.
	 * @returns what the requests fail with that wait for its outcome
	 */
	end(permit: Permit): GatewayError | undefined {
		this.inFlight.delete(permit);
		if (this.probe !== permit) return undefined;
		this.probe = undefined;
		return this.suspension;
	}

	private lift(): void {
		this.probe = undefined;
		this.suspended = undefined;
	}

	/** It took a request before. What polls are told of paid tasks never makes them wait for one another. */
	private get isKnown(): boolean {
		return this.taken > 0 && !this.isOfPolls;
	}
}

/** A key, its scopes, and its requests in flight. */
export class Key implements Party {
	readonly scopes = new Map<string, Scope>();
	gets = 0;
	posts = 0;

	msUntilNext(): number {
		return 0;
	}

	get isIdle(): boolean {
		return [...this.scopes.values()].every(({ isIdle }) => isIdle);
	}
}
