import type { Clock } from '../clock';
import { LimitEstimator } from './limitEstimator';

/** A limit is forgotten when nothing was sent for this long. */
const FORGET_AFTER_MS = 60_000;

/** Sends the requests of one scope. */
export interface Sender {
	limit: JointLimit;
	readonly isQueueEmpty: boolean;
	/** Whether a request waits for the limit alone. */
	readonly isReady: boolean;
	/** @param isHeldByRate whether it would have been sent earlier without a limit */
	sendNext(isHeldByRate: boolean): void;
}

/** A limit and the scopes that it is of, which take turns: one scope, until some are known to share a limit. */
export class JointLimit {
	readonly estimator = new LimitEstimator();
	readonly senders: Set<Sender>;
	/** How many requests the service has taken. */
	taken = 0;
	private stopTimer = () => {};

	/** @param replaced the limits that these scopes had */
	constructor(
		private readonly clock: Clock,
		senders: Iterable<Sender>,
		replaced: JointLimit[] = [],
	) {
		this.senders = new Set(senders);
		for (const limit of replaced) {
			limit.stopTimer();
			this.taken += limit.taken;
			this.holdUntil(limit.estimator.closedUntil);
		}
	}

	/** Milliseconds until the next request may be sent. */
	msUntilNext(): number {
		return this.estimator.msUntilNext(this.clock.now());
	}

	holdUntil(time: number): void {
		this.estimator.closedUntil = Math.max(this.estimator.closedUntil, time);
	}

	/** No request waits, and nothing was sent for long. A pause that the service asked for does not count. */
	get isForgotten(): boolean {
		const last = Math.max(this.estimator.period.lastAt, this.estimator.closedUntil);
		if (this.clock.now() - last <= FORGET_AFTER_MS) return false;
		for (const sender of this.senders) if (!sender.isQueueEmpty) return false;
		return true;
	}

	/**
	 * Sends what waits, as far as the limit and the slots allow, the scopes in turn.
	 * @param isHeldByRate whether what waits would have been sent earlier without a limit
	 */
	admit(isHeldByRate: boolean): void {
		for (let next = this.next(); next && this.msUntilNext() === 0; next = this.next()) {
			this.senders.delete(next);
			this.senders.add(next);
			next.sendNext(isHeldByRate);
		}
		this.startTimer();
	}

	startTimer(): void {
		this.stopTimer();
		if (this.next() === undefined) return;
		this.stopTimer = this.clock.after(Math.ceil(this.msUntilNext()), () => this.admit(true));
	}

	private next(): Sender | undefined {
		for (const sender of this.senders) if (sender.isReady) return sender;
		return undefined;
	}
}
