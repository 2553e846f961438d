import { Noise } from './noise';
import { SendPeriod } from './sendPeriod';
import { A_FEW } from './verdict';

export const SECOND_MS = 1_000;
/** The rate stays at this part of the limit, so that network jitter does not exceed it. */
const MARGIN = 0.99;
/** This part of what a bucket gained during a pause is sent at once; the rest is for the jitter. */
const SPENT_AT_ONCE = 0.9;
/** If a burst was refused, the bucket held less than estimated: this part of it. */
const SURELY_HELD = 0.75;
/** Fewer requests than this, beyond those sent at once after a pause, say little about the rate. */
const MIN_SAMPLE = 10;
/** The rate is raised after each of these steps, at most twofold, by less the better the limit is known… */
const STEP_MS = 250;
const PATIENCE = 40;
/** …but by ever more: the raise itself grows by this power in each step. The limit may be lifted. */
const ACCELERATION = 1.08;

export interface SentRequest {
	sentAt: number;
	period: SendPeriod;
}

/**
 * Estimates how many requests a service takes, as README.md explains: as a bucket of tokens that holds a burst and refills
 * evenly. Pure: it is given the time, in milliseconds, and waits for nothing.
 */
export class LimitEstimator {
	/** The service asked for no requests before this time. */
	closedUntil = 0;
	/** The requests since the last pause. */
	period = new SendPeriod(0);
	/** Pauses in a row after which the service took nothing. */
	inVain = 0;
	/** Requests per millisecond; undefined: no limit is known. */
	private rate: number | undefined;
	/** How many tokens the bucket holds. */
	private held = Infinity;
	/** Requests that could be sent at once, at this time. */
	private tokens = 0;
	private tokensAt = 0;
	private longestPause = SECOND_MS;
	/** The factor by which the rate is raised when the service takes a request that was sent after this time. */
	private raise = 2;
	private raiseAt = 0;
	/** Requests per millisecond that the service is sure to take. */
	private sure = 0;
	private readonly noise = new Noise();

	/** Milliseconds until the next request may be sent; it may be sent now if they are not more than 0. */
	msUntilNext(now: number): number {
		if (now < this.closedUntil) return this.closedUntil - now;
		if (this.period.isOver) this.reopen(this.period, now);
		if (this.rate === undefined) return 0;
		const gained = (now - this.tokensAt) * this.rate;
		// A timer fires up to a millisecond late: this makes up for it.
		this.tokens = Math.min(this.tokens + gained, this.held + this.rate);
		this.tokensAt = now;
		return (1 - this.tokens) / this.rate;
	}

	/** A request is about to be sent. Returns the period that it belongs to. */
	send(now: number): SendPeriod {
		this.tokens -= 1;
		this.period.send(now);
		return this.period;
	}

	/** The service took a request. */
	accept({ sentAt }: SentRequest, now: number): void {
		this.noise.accept();
		this.inVain = 0;
		if (this.rate === undefined || sentAt < this.raiseAt) return;
		this.rate *= this.raise;
		const steps = Math.max(1, 1 / this.rate / STEP_MS);
		this.raise = Math.min(2, this.raise ** (ACCELERATION ** steps));
		this.raiseAt = now + STEP_MS;
	}

	/**
	 * The service refused a request.
	 * @param pause milliseconds until the next one may be sent
	 * @param mayBeNoise whether no number in flight explains it
	 * @returns whether all others wait, too
	 */
	refuse(
		{ period, sentAt }: SentRequest,
		now: number,
		pause: number,
		mayBeNoise: boolean,
	): boolean {
		// Who is refused at random is told to come back soon: a longer pause is one for all.
		if (mayBeNoise && pause < 2 * SECOND_MS && this.noise.refuse(period.taken)) {
			period.excuse();
			return false;
		}
		period.refuse(sentAt);
		this.closeUntil(now + pause);
		this.longestPause = Math.max(this.longestPause, pause);
		return true;
	}

	closeUntil(time: number): void {
		this.closedUntil = Math.max(this.closedUntil, time);
	}

	/** The request never reached the service: as if it had not been sent. */
	giveBack({ period }: SentRequest): void {
		period.excuse();
		if (period === this.period) this.tokens += 1;
	}

	/** After a pause, when the responses to what was in flight have arrived. */
	private reopen(past: SendPeriod, now: number): void {
		this.inVain = past.taken === 0 ? this.inVain + 1 : 0;
		const { rate } = this;
		// A service that took nothing at all is down: that says nothing about a rate.
		if (rate === undefined && past.taken === 0) {
			this.period = new SendPeriod(now);
			return;
		}
		// A service takes at least one request per pause it asks for: if it refuses more, the rate is not the reason.
		const slowest = MARGIN / this.longestPause;
		this.rate = rate === undefined ? this.begin(past) : Math.max(slowest, this.learn(past, rate));
		// The more is refused whatever the rate, the less a refusal says about it.
		this.raise = Math.max(this.raise, 1 + (this.noise.share * STEP_MS) / SECOND_MS);
		this.raiseAt = now + STEP_MS;
		const gained = this.rate * (now - past.lastAt);
		this.tokens = Math.max(1, Math.min(gained, this.held) * SPENT_AT_ONCE);
		this.tokensAt = now;
		this.period = new SendPeriod(now, this.tokens, past.refusedAt);
	}

	/** After the first refusal: as if the service always took this much until it refuses, and nothing in the pause. */
	private begin(past: SendPeriod): number {
		const { taken, ms } = past.recent;
		const cycle = ms + this.closedUntil - past.lastAt;
		const flow = taken / cycle;
		this.held = Math.max(1, taken - flow * ms);
		this.sure = flow - 1 / cycle;
		// The refusal may be an exception.
		return Math.max(flow, A_FEW / this.longestPause) * MARGIN;
	}

	/** After a further refusal: between which rates is the limit of a bucket that took this period and no more? */
	private learn(past: SendPeriod, rate: number): number {
		const { taken, credit, emptyAt, refusedAt } = past;
		const isNoise = this.noise.learn(past, past.leastRate(this.held, 1) > this.sure);
		// The pause it asked for was too short, or the rate is not the reason: that says nothing about its limit.
		if (taken === 0) return rate;
		if (isNoise) {
			const { sure } = this;
			this.sure *= 1 - 1 / taken;
			return sure;
		}
		// The bucket was empty at both refusals: it gave what it gained between them.
		const flow = taken / (refusedAt - emptyAt);
		const least = Math.min(rate, Math.max(flow, past.leastRate(this.held, -1)));
		const isSmall = taken < credit + MIN_SAMPLE;
		const most = isSmall ? rate : Math.max(least, Math.min(rate, past.leastRate(this.held, 1)));
		// A limit between two rates is approached so slowly that the refusal beyond it teaches more than it costs.
		this.raise = Math.min(2, 1 + Math.log(Math.max(most / least, 1.005)) ** 2 / PATIENCE);
		// A burst was refused: the bucket holds less than estimated.
		if (isSmall && credit >= 2) {
			this.held = Math.max(1, Math.min(taken, credit) * SURELY_HELD);
			this.raise = 2;
		}
		this.sure = least * (1 - 1 / taken);
		return Math.cbrt(least * least * most) * MARGIN;
	}
}
