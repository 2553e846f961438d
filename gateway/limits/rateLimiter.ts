import type { Clock } from '../clock';
import { CancelledError, type ServiceError } from '../errors/gatewayError';
import { sha256 } from '../hash';
import { LimitEstimator, type SentRequest } from './limitEstimator';
import { Suspension } from './suspension';
import { WaitQueue } from './waitQueue';

/** A limit is forgotten when nothing was sent for this long. */
const FORGET_AFTER_MS = 60_000;
/** Limiters kept in memory; only a process with ever new keys reaches this. */
const MAX_LIMITERS = 1_000;

/** Allows one request to be sent. */
export interface Permit extends SentRequest {
	/** The suspension that this request probes. */
	probed: Suspension | undefined;
	isPoll: boolean;
}

interface Arrival {
	/** A poll of a paid task, which no suspension fails or delays. */
	isPoll?: boolean | undefined;
	/** The suspension when the request arrived. One that came later fails it. */
	knownSuspension: Suspension | undefined;
	signal?: AbortSignal | undefined;
}

/**
 * One per service and key. Requests pass at once until the service refuses one (429, 503). Then all wait as long
 * as the service asks, and continue at a rate it accepts. A pause that is too long to wait for suspends the key.
 */
export class RateLimiter {
	private readonly queue = new WaitQueue();
	private readonly estimator = new LimitEstimator();
	private stopTimer = () => {};
	private takenSoFar = 0;
	private lastSuspension: Suspension | undefined;

	constructor(private readonly clock: Clock) {}

	/** How many requests the service has taken. */
	get taken(): number {
		return this.takenSoFar;
	}

	/** Present while the service asks for a pause that is too long to wait for. */
	get suspension(): Suspension | undefined {
		const last = this.lastSuspension;
		return last !== undefined && this.clock.now() < last.endsAt ? last : undefined;
	}

	/**
	 * Resolves when the request may be sent. One of accept, refuse and abandon must follow.
	 * @throws CancelledError at once when `signal` is aborted
	 * @throws ServiceError when the key is suspended while the request waits
	 */
	async acquire({ isPoll = false, knownSuspension, signal }: Arrival): Promise<Permit> {
		if (signal?.aborted) throw new CancelledError();
		// Nothing is awaited needlessly: this runs for every request.
		const probed =
			isPoll || this.suspension === undefined
				? undefined
				: await this.passSuspension(knownSuspension, signal);
		if (this.isForgotten()) this.estimator.forget();
		let isAdmitted = false;
		try {
			if (this.queue.length === 0 && this.msUntilNext() === 0)
				this.estimator.send(this.clock.now(), false);
			else await this.waitInQueue(signal, isPoll);
			isAdmitted = true;
		} finally {
			if (!isAdmitted) probed?.failProbe();
		}
		const { period, isTrying: isTrial } = this.estimator;
		return { sentAt: this.clock.now(), period, isTrial, probed, isPoll };
	}

	/**
	 * The request waited for a connection since it was allowed.
	 * @throws ServiceError when the key was suspended meanwhile
	 */
	recheck({ probed, isPoll }: Permit): void {
		const { suspension } = this;
		if (suspension !== undefined && suspension !== probed && !isPoll) throw suspension.error;
	}

	/** The service took the request: it did not refuse it, whatever the outcome. */
	accept(permit: Permit): void {
		this.takenSoFar += 1;
		this.estimator.accept(permit, this.clock.now());
		this.lift(permit);
		// The service may take more than it did before.
		if (this.queue.length > 0) this.admit();
	}

	/**
	 * The service refused the request (429, 503).
	 * @param pause milliseconds without requests; undefined: longer than a workflow waits, so all fail at once
	 */
	refuse(permit: Permit, error: ServiceError, pause: number | undefined): void {
		if (pause === undefined) {
			this.suspend(permit, error);
		} else {
			this.estimator.refuse(permit, this.clock.now(), pause, error.rateLimit?.limit);
			this.lift(permit);
		}
	}

	/** No response arrived, or it failed after the service had taken the request. */
	abandon({ probed }: Permit): void {
		probed?.failProbe();
	}

	/** No request waits and no limit is known. */
	isIdle(): boolean {
		if (this.suspension !== undefined) return false;
		if (this.isForgotten()) return true;
		return this.queue.length === 0 && this.msUntilNext() === 0 && !this.estimator.isLimited;
	}

	/** @returns the suspension that the request probes */
	private async passSuspension(
		known: Suspension | undefined,
		signal: AbortSignal | undefined,
	): Promise<Suspension | undefined> {
		for (let { suspension } = this; suspension !== undefined; { suspension } = this) {
			if (suspension !== known) throw suspension.error;
			if (await suspension.enter(signal)) return suspension;
		}
		return undefined;
	}

	private suspend({ probed }: Permit, error: ServiceError): void {
		const { suspension } = this;
		probed?.failProbe(error);
		// Requests in flight when the key was suspended are refused too, while the first probe runs.
		if (suspension !== undefined && suspension !== probed) return;
		this.lastSuspension = new Suspension(error, this.clock.now() + (error.retryAfterMs ?? 0));
		this.queue.failAll(error);
	}

	private lift({ probed }: Permit): void {
		if (probed === undefined) return;
		if (this.lastSuspension === probed) this.lastSuspension = undefined;
		probed.lift();
	}

	/** No request waits, and nothing was sent for long. A pause that the service asked for does not count. */
	private isForgotten(): boolean {
		const last = Math.max(this.estimator.period.lastAt, this.estimator.closedUntil);
		return this.queue.length === 0 && this.clock.now() - last > FORGET_AFTER_MS;
	}

	private msUntilNext(): number {
		return this.estimator.msUntilNext(this.clock.now());
	}

	private async waitInQueue(signal: AbortSignal | undefined, isPoll: boolean): Promise<void> {
		const admitted = this.queue.join(signal, isPoll);
		this.startTimer();
		try {
			await admitted;
		} finally {
			if (this.queue.length === 0) this.stopTimer();
		}
	}

	private startTimer(): void {
		this.stopTimer();
		this.stopTimer = this.clock.after(Math.ceil(this.msUntilNext()), () => this.admit());
	}

	private admit(): void {
		while (this.queue.length > 0 && this.msUntilNext() === 0) {
			this.estimator.send(this.clock.now(), true);
			this.queue.admitNext();
		}
		if (this.queue.length > 0) this.startTimer();
	}
}

const limiters = new Map<string, RateLimiter>();

/** The process-wide limiter of this service and key, shared by all nodes and executions. */
export function rateLimiterFor(baseUrl: string, apiKey: string, clock: Clock): RateLimiter {
	const key = sha256(`${baseUrl}\n${apiKey}`);
	const known = limiters.get(key);
	if (known !== undefined) return known;
	if (limiters.size >= MAX_LIMITERS) {
		for (const [idleKey, limiter] of limiters) if (limiter.isIdle()) limiters.delete(idleKey);
	}
	const limiter = new RateLimiter(clock);
	limiters.set(key, limiter);
	return limiter;
}
