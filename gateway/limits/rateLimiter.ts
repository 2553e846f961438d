import type { Clock } from '../clock';
import { CancelledError, type ServiceError } from '../errors/gatewayError';
import { InFlightLimit } from './inFlightLimit';
import { JointLimit, type Sender } from './jointLimit';
import type { SentRequest } from './limitEstimator';
import type { SharedLimits } from './sharedLimits';
import type { SharedPauses } from './sharedPauses';
import { Slots } from './slots';
import { Suspension } from './suspension';
import { WaitQueue } from './waitQueue';

/** Allows one request to be sent. */
export interface Permit extends SentRequest {
	/** The suspension that this request probes. */
	probed: Suspension | undefined;
	/** Requests of the scope in flight when it was sent, itself included. */
	inFlight: number;
}

interface Arrival {
	/** Of the execution that sends the request. */
	slots: Slots;
	/** The suspension when the request arrived. One that came later fails it. */
	knownSuspension: Suspension | undefined;
	/** Whether it goes before others of its execution, at any time while it waits. */
	goesFirst?: (() => boolean) | undefined;
	signal?: AbortSignal | undefined;
}

/**
 * One per scope: what a service may limit by itself. Requests pass at once until the service refuses one (429, 503).
 * Then all of the scope wait as long as the service asks, and continue at a rate it accepts. A pause that is too long to
 * wait for suspends the scope. Executions take turns.
 */
export class RateLimiter implements Sender {
	/** Of this scope, or of several that share it. */
	limit: JointLimit;
	private readonly queue = new WaitQueue();
	private readonly inFlightLimit = new InFlightLimit();
	/** Sent and not ended, the oldest first. */
	private readonly inFlight = new Set<Permit>();
	private isHeldByRate = false;
	private lastSuspension: Suspension | undefined;

	/**
	 * @param limits of all scopes of the key
	 * @param pauses of all scopes of the key
	 * @param suspends whether a long pause holds other requests back: polls of paid tasks are sent all the same
	 */
	constructor(
		private readonly clock: Clock,
		private readonly limits: SharedLimits,
		private readonly pauses: SharedPauses,
		private readonly suspends: boolean,
	) {
		this.limit = new JointLimit(clock, [this]);
	}

	/** How many requests the service has taken of the scopes that share the limit. */
	get taken(): number {
		return this.limit.taken;
	}

	/** Present while the service asks for a pause that is too long to wait for. */
	get suspension(): Suspension | undefined {
		const last = this.lastSuspension;
		return last !== undefined && this.clock.now() < last.endsAt ? last : undefined;
	}

	/**
	 * Resolves when the request may be sent, with a slot of its execution. `end` must follow.
	 * @throws CancelledError at once when `signal` is aborted
	 * @throws ServiceError when the scope is suspended while the request waits
	 */
	async acquire(arrival: Arrival): Promise<Permit> {
		const { slots, knownSuspension, signal } = arrival;
		if (signal?.aborted) throw new CancelledError();
		// Nothing is awaited needlessly: this runs for every request.
		const probed =
			this.suspension === undefined
				? undefined
				: await this.passSuspension(knownSuspension, signal);
		if (this.limit.isForgotten) this.forget();
		const mayStart = slots.isFree && !this.queue.has(slots) && this.mayStart();
		if (mayStart && this.limit.msUntilNext() === 0) return this.send(slots, probed, false);
		return await this.waitInQueue(arrival, probed);
	}

	/**
	 * The request waited for a connection since it was allowed.
	 * @throws ServiceError when the scope was suspended meanwhile
	 */
	recheck({ probed }: Permit): void {
		const { suspension } = this;
		if (suspension !== undefined && suspension !== probed) throw suspension.error;
	}

	/** The service took the request: it did not refuse it, whatever the outcome. */
	accept(permit: Permit): void {
		this.limits.accept(this, permit);
		this.inFlightLimit.accept(permit.inFlight);
		this.lift(permit);
		// The service may take more than it did before.
		this.limit.admit(true);
	}

	/**
	 * The service refused the request (429, 503).
	 * @param pause milliseconds without requests; undefined: longer than a workflow waits, so all fail at once
	 * @returns whether it waits with all others
	 */
	refuse(permit: Permit, error: ServiceError, pause: number | undefined): boolean {
		if (pause === undefined) {
			if (this.suspends) this.suspend(permit, error);
			return true;
		}
		this.lift(permit);
		const now = this.clock.now();
		const older = this.olderInFlight(permit);
		if (!this.limits.refuse(this, permit, pause, older)) return false;
		this.inFlightLimit.refuse(older, permit.period.taken === 0);
		this.pauses.begin(this, now, now + pause);
		return true;
	}

	/** Another scope of the key was told to wait, for a limit that may be the same. */
	holdUntil(time: number): void {
		this.limit.holdUntil(time);
	}

	/** No response arrived, or it failed after the service had taken the request. */
	abandon({ probed }: Permit): void {
		probed?.failProbe();
	}

	/** Requests that were sent earlier and are still in flight. */
	olderInFlight(permit: Permit): number {
		let older = 0;
		for (const other of this.inFlight) {
			if (other === permit) break;
			older += 1;
		}
		return older;
	}

	/** The request is no longer in flight. */
	end(permit: Permit): void {
		const isHeld = !this.mayStart();
		this.inFlight.delete(permit);
		if (isHeld && this.queue.length > 0) this.admit();
	}

	/** No request waits and no limit is known. */
	isIdle(): boolean {
		if (this.suspension !== undefined || this.inFlight.size > 0) return false;
		if (this.limit.isForgotten) return true;
		return this.isQueueEmpty && this.limit.msUntilNext() === 0 && !this.limit.estimator.isLimited;
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
		// Requests in flight when the scope was suspended are refused too, while the first probe runs.
		if (suspension !== undefined && suspension !== probed) return;
		this.lastSuspension = new Suspension(error, this.clock.now() + (error.retryAfterMs ?? 0));
		this.queue.failAll(error);
	}

	private lift({ probed }: Permit): void {
		if (probed === undefined) return;
		if (this.lastSuspension === probed) this.lastSuspension = undefined;
		probed.lift();
	}

	private forget(): void {
		this.limits.forget(this);
		this.inFlightLimit.forget();
	}

	/** Whether the service takes one more in flight. */
	private mayStart(): boolean {
		return this.inFlightLimit.allows(this.inFlight.size);
	}

	private async waitInQueue(
		{ slots, signal, goesFirst }: Arrival,
		probed: Suspension | undefined,
	): Promise<Permit> {
		const onAdmit = () => this.send(slots, probed, this.isHeldByRate);
		const admitted = this.queue.join(onAdmit, signal, [slots], goesFirst);
		slots.waitIn(this);
		this.limit.startTimer();
		let permit: Permit | undefined;
		try {
			permit = await admitted;
			return permit;
		} finally {
			if (permit === undefined) probed?.failProbe();
			if (this.queue.length === 0) this.limit.startTimer();
		}
	}

	/** Whether requests of this execution wait here. */
	hasWaiting(slots: Slots): boolean {
		return this.queue.has(slots);
	}

	/**
	 * Sends what waits, as far as the limit and the slots allow, the executions in turn.
	 * @param isHeldByRate whether what waits would have been sent earlier without a limit
	 */
	admit(isHeldByRate = false): void {
		this.limit.admit(isHeldByRate);
	}

	get isQueueEmpty(): boolean {
		return this.queue.length === 0;
	}

	get isReady(): boolean {
		return this.mayStart() && this.queue.some(hasFreeSlot);
	}

	sendNext(isHeldByRate: boolean): void {
		this.isHeldByRate = isHeldByRate;
		this.queue.admitNext(hasFreeSlot);
	}

	private send(slots: Slots, probed: Suspension | undefined, hasWaited: boolean): Permit {
		const now = this.clock.now();
		slots.take();
		const sent = this.limit.estimator.send(now, hasWaited);
		const permit = { ...sent, probed, inFlight: this.inFlight.size + 1 };
		this.inFlight.add(permit);
		return permit;
	}
}

/** Without a free slot an execution cannot use its turn. */
function hasFreeSlot(party: unknown): boolean {
	return party instanceof Slots && party.isFree;
}
