import type { Clock } from '../clock';
import {
	CancelledError,
	forAnotherRequest,
	type GatewayError,
	type ServiceError,
} from '../errors/gatewayError';
import { SECOND_MS } from '../errors/duration';
import { InFlightLimit } from './inFlightLimit';
import { LimitEstimator, type SentRequest } from './limitEstimator';
import { isThrottled, MAX_IN_VAIN, type ScopeState, type Verdict } from './verdict';

/** A limit is forgotten when no request was sent for this long: usual windows are no longer than a minute. */
const FORGET_AFTER_MS = 60_000;
/** A request without a response for this long is not refused: the service works on it. */
const REFUSED_WITHIN_MS = 5_000;

/**
 * The name of what a service may limit by itself: the interface document does not say whether a limit is of a key, an endpoint
 * or a model.
 */
export interface ScopeName {
	/** `polls` are not held back by a long pause. */
	endpoint: 'chat' | 'video' | 'polls' | 'models' | 'files';
	/** For requests that name one. */
	model?: string;
}

/**
 * The slots of one run of a node: how many of its requests are in flight, with all its keys, and how many may be. Runs take turns
 * by their slots.
 */
export class Slots {
	inFlight = 0;

	/** @param maxConcurrency how many requests may be in flight at once */
	constructor(readonly maxConcurrency: number) {}

	get hasFree(): boolean {
		return this.inFlight < this.maxConcurrency;
	}
}

/** Requests of a scope that the service took, and refusals that made the scope wait. */
export interface Counts {
	taken: number;
	refused: number;
}

/** A request in flight. */
export interface Permit extends SentRequest {
	scope: Scope;
	slots: Slots;
	/** Requests of the scope in flight when this one was sent, with this one. */
	inFlight: number;
}

/** A request that waits to be sent. */
export interface Waiter {
	scope: Scope;
	slots: Slots;
	admit: () => void;
	fail: (error: GatewayError) => void;
}

/** The waiting requests of one run of a node and one scope, the oldest first. */
export type Line = Set<Waiter>;

/** A scope. Its requests are sent at once until one is refused. Then all wait, and continue at a rate that the service takes. */
export class Scope implements ScopeState {
	readonly lines = new Map<Slots, Line>();
	readonly counts: Counts = { taken: 0, refused: 0 };
	/** When the service last took a request. */
	takenAt = -Infinity;
	private limit = new LimitEstimator();
	private inFlightLimit = new InFlightLimit();
	/** The oldest first. */
	private readonly inFlight = new Set<Permit>();
	/** Failed requests in a row that the service did not refuse. */
	private failures = 0;
	/** When the service refused the first request since it took one. */
	private refusesSince: number | undefined;
	lastRefusedForMs = 0;
	/** While the scope is suspended, one request at a time is sent until the service takes one. */
	private suspendedAt = -Infinity;
	private suspendedUntil = -Infinity;

	/** @param account a key at a Base URL: what a service may limit together
	 * @param all the scopes of the process, of all accounts */
	constructor(
		private readonly clock: Clock,
		private readonly account: string,
		private readonly endpoint: ScopeName['endpoint'],
		private readonly all: ReadonlyMap<string, Scope>,
	) {}

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

	/** What is known of the scope is too old. */
	get isIdle(): boolean {
		const { inFlight, lines, isSuspended, limit, clock } = this;
		if (inFlight.size > 0 || lines.size > 0 || isSuspended) return false;
		return clock.now() - Math.max(limit.period.lastAt, limit.closedUntil) > FORGET_AFTER_MS;
	}

	/** Milliseconds until the next request may be sent; 0 or less: now. Infinity: when another request has ended. */
	msUntilNext(): number {
		if (!this.inFlightLimit.allows(this.inFlight.size)) return Infinity;
		const now = this.clock.now();
		const ms = this.limit.msUntilNext(now);
		if (!this.isSuspended && this.inVain < MAX_IN_VAIN) return ms;
		const newest = [...this.inFlight].at(-1)?.sentAt ?? -Infinity;
		return Math.max(ms, newest + REFUSED_WITHIN_MS - now);
	}

	/** A request is sent now. `end` must follow. */
	send(slots: Slots): Permit {
		const { inFlight, limit, clock } = this;
		const sentAt = clock.now();
		const period = limit.send(sentAt);
		const permit = { sentAt, period, scope: this, slots, inFlight: inFlight.size + 1 };
		inFlight.add(permit);
		return permit;
	}

	/** The service did not refuse the request. What else becomes of it is not known yet. */
	take(permit: Permit): void {
		this.counts.taken += 1;
		this.takenAt = this.clock.now();
		this.failures = 0;
		if (this.refusesSince !== undefined) this.lastRefusedForMs = this.refusesForMs;
		this.refusesSince = undefined;
		this.limit.accept(permit, this.takenAt);
		this.inFlightLimit.accept(permit.inFlight);
		// A request that was sent after the suspension began ends it.
		if (permit.sentAt >= this.suspendedAt) this.suspendedUntil = -Infinity;
	}

	/** Whether the service still works on a request from before the last pause, when this one was sent after it. */
	isAtWork({ period, sentAt }: Permit): boolean {
		return [...this.inFlight].some((other) => other.period !== period && other.sentAt < sentAt);
	}

	/**
	 * The request failed.
	 * @returns whether it waits in the queue with the others of its scope
	 */
	fail(permit: Permit, error: GatewayError, verdict: Verdict): boolean {
		const isRefused = isThrottled(error);
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
				else if (error.isNeverSent) this.limit.giveBack(permit);
				return false;
		}
	}

	/** The refusal is of this request alone. If no other is under way, the next request waits, too: it may be a new try of this one. */
	private uncountRefused(permit: Permit, { retryAfterMs = 0, told }: ServiceError): void {
		permit.period.uncount();
		if (!told.forbidsRetry && this.inFlight.size === 1 && this.lines.size === 0)
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
	 * Scopes of an account that are told to wait until the same time share one limit. With pauses of a second the same time may be
	 * a coincidence, unless the service took nothing since the last pause: then another scope took what this one waited for.
	 */
	private shareLimit(ms: number): void {
		if (ms <= (this.limit.inVain === 0 ? SECOND_MS : 0)) return;
		// Some services lengthen a pause for each request that is sent meanwhile.
		const apart = SECOND_MS + ms / 10;
		const sharing = [...this.all.values()].filter(
			({ account, limit }) =>
				account === this.account && Math.abs(limit.closedUntil - this.limit.closedUntil) <= apart,
		);
		if (sharing.every(({ limit }) => limit === this.limit)) return;
		const limit = new LimitEstimator();
		limit.closedUntil = Math.max(...sharing.map((scope) => scope.limit.closedUntil));
		for (const scope of sharing) scope.limit = limit;
	}

	/** All that wait fail. For so many milliseconds, or until the service takes one, one request at a time is sent. */
	private suspend(error: GatewayError, ms: number): void {
		if (this.endpoint === 'polls') return;
		this.suspendedAt = this.clock.now();
		this.suspendedUntil = this.suspendedAt + ms;
		// When the suspension is over, what is known now is old.
		this.limit = new LimitEstimator();
		this.inFlightLimit = new InFlightLimit();
		for (const line of this.lines.values())
			for (const waiter of line) waiter.fail(forAnotherRequest(error));
	}

	/** The request is no longer in flight. */
	end(permit: Permit): void {
		this.inFlight.delete(permit);
	}

	private get isSuspended(): boolean {
		return this.clock.now() < this.suspendedUntil;
	}

	/** The service took a request of the scope before. Polls are of paid tasks, and never wait for one another. */
	private get isKnown(): boolean {
		return this.counts.taken > 0 && this.endpoint !== 'polls';
	}
}
