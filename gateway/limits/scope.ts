import type { Clock } from '../clock';
import {
	CancelledError,
	type GatewayError,
	NoResponseError,
	type ServiceError,
} from '../errors/gatewayError';
import { InFlightLimit } from './inFlightLimit';
import { LimitEstimator, SECOND_MS, type SentRequest } from './limitEstimator';
import { isRefusal, MAX_IN_VAIN, type ScopeState, type Verdict } from './verdict';

/** A limit is forgotten when nothing was sent for this long. */
const FORGET_AFTER_MS = 60_000;
/** A refusal comes soon: the service is at work on a request that has no response for this long. */
const REFUSED_WITHIN_MS = 5_000;

/**
 * What a service may limit by itself: the interface document does not say whether a limit is of a key, an endpoint or a
 * model. So requests for one model do not wait for another, polls for neither, and the catalogue for none.
 */
export interface ScopeName {
	/** `polls` are not held back by a long pause. */
	endpoint: 'chat' | 'video' | 'polls' | 'models' | 'files';
	/** If its requests are for one. */
	model?: string;
}

/** One execution of a node, with one key. */
export class Execution {
	inFlight = 0;

	/**
	 * @param maxConcurrency how many of its requests are in flight at once
	 * @param owner stands for the key and the Base URL
	 */
	constructor(
		readonly maxConcurrency: number,
		readonly owner = '',
	) {}
}

/** Requests of a scope that the service took, and that it refused, unless a refusal was of one request alone. */
export interface Counts {
	taken: number;
	refused: number;
}

/** A request that may be sent, until it has ended. */
export interface Permit extends SentRequest {
	scope: Scope;
	execution: Execution;
	/** Of the scope, when the request began to wait. */
	before: Counts;
	/** Requests of the scope in flight when it was sent, itself included. */
	inFlight: number;
}

/** A request that waits to be sent. */
export interface Waiter {
	scope: Scope;
	execution: Execution;
	admit: () => void;
	fail: (error: GatewayError) => void;
}

/** Those of one execution and one scope, the oldest first. */
export type Line = Set<Waiter>;

/** What is known of a scope. Requests pass at once until one is refused. Then all wait, and continue at a rate it accepts. */
export class Scope implements ScopeState {
	/** Requests that wait to be sent. */
	readonly lines = new Map<Execution, Line>();
	readonly counts: Counts = { taken: 0, refused: 0 };
	private limit = new LimitEstimator();
	private inFlightLimit = new InFlightLimit();
	/** Sent and not ended, the oldest first. */
	private readonly inFlight = new Set<Permit>();
	/** Requests in a row without a response of the service. */
	private failures = 0;
	/** When it refused the first request since it took one. */
	private refusesSince: number | undefined;
	lastRefusedForMs = 0;
	/** In between, one request at a time asks, until the service takes one. Those that waited when it began have failed. */
	private suspendedAt = -Infinity;
	private suspendedUntil = -Infinity;

	constructor(
		private readonly clock: Clock,
		readonly key: Key,
		private readonly endpoint: ScopeName['endpoint'],
	) {}

	get isOfPosts(): boolean {
		return this.endpoint === 'chat' || this.endpoint === 'video';
	}

	get limitsInFlight(): boolean {
		return this.inFlightLimit.isKnown;
	}

	get isAway(): boolean {
		return this.isKnown && this.failures >= MAX_IN_VAIN;
	}

	get refusesForMs(): number {
		const now = this.clock.now();
		return this.endpoint === 'polls' ? 0 : now - (this.refusesSince ?? now);
	}

	get inVain(): number {
		return this.isKnown ? this.limit.inVain : 0;
	}

	/** Nothing is known of it any more. */
	get isIdle(): boolean {
		const { inFlight, lines, isSuspended, limit, clock } = this;
		if (inFlight.size > 0 || lines.size > 0 || isSuspended) return false;
		return clock.now() - Math.max(limit.period.lastAt, limit.closedUntil) > FORGET_AFTER_MS;
	}

	/** Milliseconds until the next request may be sent; Infinity: when another one has ended. */
	msUntilNext(): number {
		if (!this.inFlightLimit.allows(this.inFlight.size)) return Infinity;
		const now = this.clock.now();
		const ms = this.limit.msUntilNext(now);
		if (!this.isSuspended && this.inVain < MAX_IN_VAIN) return ms;
		const newest = [...this.inFlight].at(-1)?.sentAt ?? -Infinity;
		return Math.max(ms, newest + REFUSED_WITHIN_MS - now);
	}

	/** A request is about to be sent. `end` must follow. */
	send(execution: Execution, before: Counts): Permit {
		const { inFlight, limit, clock } = this;
		const sentAt = clock.now();
		const period = limit.send(sentAt);
		const permit = { sentAt, period, scope: this, execution, before, inFlight: inFlight.size + 1 };
		inFlight.add(permit);
		return permit;
	}

	/** The service took the request: it did not refuse it, whatever the outcome. */
	take(permit: Permit): void {
		this.counts.taken += 1;
		this.failures = 0;
		if (this.refusesSince !== undefined) this.lastRefusedForMs = this.refusesForMs;
		this.refusesSince = undefined;
		this.limit.accept(permit, this.clock.now());
		this.inFlightLimit.accept(permit.inFlight);
		// It has room for a request that was sent after the suspension began.
		if (permit.sentAt >= this.suspendedAt) this.suspendedUntil = -Infinity;
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
		const isRefused = isRefusal(error);
		if (!isRefused && !(error instanceof CancelledError)) this.failures += 1;
		if (isRefused && verdict.scopeAction !== 'continue') this.counts.refused += 1;
		switch (verdict.scopeAction) {
			case 'suspend':
				this.suspend(error, verdict.pauseMs);
				return false;
			case 'wait':
				return this.refuse(permit, verdict.pauseMs, error.retryAfterMs ?? 0);
			case 'continue':
				if (isRefused) this.uncountRefused(permit, error);
				// A failed GET does not show whether it was sent.
				else if (this.isOfPosts && error instanceof NoResponseError && !error.mayHaveBeenAccepted)
					this.limit.giveBack(permit);
				return false;
		}
	}

	/** The service refused this request alone. With no other under way, the next one waits, too: it may be a new try of this one. */
	private uncountRefused(permit: Permit, { retryAfterMs = 0, forbidsRetry }: ServiceError): void {
		permit.period.uncount();
		if (!forbidsRetry && this.inFlight.size === 1 && this.lines.size === 0)
			this.limit.closeUntil(this.clock.now() + retryAfterMs);
	}

	/**
	 * @param pause milliseconds without requests
	 * @param stated how many of them the service asked for
	 */
	private refuse(permit: Permit, pause: number, stated: number): boolean {
		const now = this.clock.now();
		const older = [...this.inFlight].indexOf(permit);
		this.inFlightLimit.refuse(older, permit.period.taken === 1);
		const mayBeNoise = !this.limitsInFlight || older === 0;
		if (!this.limit.refuse(permit, now, pause, mayBeNoise)) return false;
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

	/** What waits fails. Then one request at a time asks, for so many milliseconds or until one is taken. */
	private suspend(error: GatewayError, ms: number): void {
		if (this.endpoint === 'polls') return;
		this.suspendedAt = this.clock.now();
		this.suspendedUntil = this.suspendedAt + ms;
		// When it is over, what was known is old.
		this.limit = new LimitEstimator();
		this.inFlightLimit = new InFlightLimit();
		// What fails with it was not sent as often.
		const shared = Object.create(error, { sent: { value: 1, writable: true } }) as GatewayError;
		for (const line of this.lines.values()) for (const waiter of line) waiter.fail(shared);
	}

	/** The request is no longer in flight. */
	end(permit: Permit): void {
		this.inFlight.delete(permit);
	}

	private get isSuspended(): boolean {
		return this.clock.now() < this.suspendedUntil;
	}

	/** It took a request before. What polls are told of paid tasks never makes them wait for one another. */
	private get isKnown(): boolean {
		return this.counts.taken > 0 && this.endpoint !== 'polls';
	}
}

/** A key of a service, and its scopes. */
export class Key {
	readonly scopes = new Map<string, Scope>();

	get isIdle(): boolean {
		return [...this.scopes.values()].every(({ isIdle }) => isIdle);
	}
}
