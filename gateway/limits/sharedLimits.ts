import type { Clock } from '../clock';
import { JointLimit, type Sender } from './jointLimit';
import type { SentRequest } from './limitEstimator';
import type { SendPeriod } from './sendPeriod';

/** So many periods in a row in which all of a scope is refused, while others are taken… */
const MIN_IN_VAIN = 3;
/** …after pauses of a second, which may be rounded up from much less… */
const MAX_PAUSE_MS = 1_000;
/** …are the work of those others that were refused, too, within this time. */
const RECENTLY_MS = 10_000;

/** What became of the requests of a scope that was refused. */
interface History {
	/** When the last one that was taken was sent. */
	takenAt: number;
	refusedAt: number;
	/** The period of the last refusal. */
	period: SendPeriod | undefined;
	/** Periods in a row in which all were refused. */
	inVain: number;
	/** It does not share its limit, although it looked like that. */
	isApart: boolean;
}

/**
 * Which scopes of a key share a limit. Each has one of its own until it is refused after pause after pause while others are
 * taken: they take what it waits for. If that happens to a scope although it takes turns with the others, or the service
 * asks it for a longer pause, it has a limit of its own after all, and they part.
 */
export class SharedLimits {
	private readonly histories = new Map<Sender, History>();

	constructor(private readonly clock: Clock) {}

	/** The service took a request. */
	accept(sender: Sender, permit: SentRequest): void {
		sender.limit.taken += 1;
		sender.limit.estimator.accept(permit, this.clock.now());
		const history = this.histories.get(sender);
		if (history === undefined) return;
		if (permit.sentAt > history.refusedAt) history.inVain = 0;
		history.takenAt = Math.max(history.takenAt, permit.sentAt);
	}

	/**
	 * The service refused a request.
	 * @param pause milliseconds until the next one may be sent
	 * @param older requests of the scope in flight that were sent earlier
	 * @returns whether all others wait, too
	 */
	refuse(sender: Sender, permit: SentRequest, pause: number, older: number): boolean {
		if (pause > MAX_PAUSE_MS) this.part(sender.limit);
		const now = this.clock.now();
		const closes = sender.limit.estimator.refuse(permit, now, pause, older);
		// If older ones are in flight, these may be the reason.
		if (closes && older === 0 && pause <= MAX_PAUSE_MS) this.compare(sender, permit.period);
		return closes;
	}

	/** Nothing was sent for long. */
	forget({ limit }: Sender): void {
		limit.estimator.forget();
		this.part(limit);
		for (const sender of limit.senders) this.histories.delete(sender);
	}

	/** Finds out whether others are the reason for a refusal. */
	private compare(sender: Sender, period: SendPeriod): void {
		const now = this.clock.now();
		const history = this.historyOf(sender);
		const pausedAt = history.refusedAt;
		history.refusedAt = now;
		if (history.period === period) return;
		history.period = period;
		history.inVain += 1;
		if (history.inVain < MIN_IN_VAIN || history.isApart) return;
		const { limit } = sender;
		const others = [...this.histories].filter(
			([other, { takenAt }]) => other !== sender && takenAt > pausedAt,
		);
		if (others.some(([other]) => other.limit === limit)) return this.part(limit);
		const rivals = others.filter(
			([, { refusedAt, isApart }]) => !isApart && refusedAt > now - RECENTLY_MS,
		);
		if (rivals.length > 0) this.join(limit, ...rivals.map(([rival]) => rival.limit));
	}

	private historyOf(sender: Sender): History {
		const known = this.histories.get(sender);
		if (known !== undefined) return known;
		const history = {
			takenAt: -Infinity,
			refusedAt: -Infinity,
			period: undefined,
			inVain: 0,
			isApart: false,
		};
		this.histories.set(sender, history);
		return history;
	}

	private join(...shared: JointLimit[]): void {
		const limits = [...new Set(shared)];
		const senders = limits.flatMap((limit) => [...limit.senders]);
		for (const sender of senders) this.historyOf(sender).inVain = 0;
		this.give(senders, limits);
	}

	private part(limit: JointLimit): void {
		if (limit.senders.size === 1) return;
		for (const sender of limit.senders) {
			this.historyOf(sender).isApart = true;
			this.give([sender], [limit]);
		}
	}

	private give(senders: Sender[], replaced: JointLimit[]): void {
		const limit = new JointLimit(this.clock, senders, replaced);
		for (const sender of senders) sender.limit = limit;
		limit.startTimer();
	}
}
