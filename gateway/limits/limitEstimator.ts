import { Noise } from './noise';
import { SendPeriod } from './sendPeriod';
import { A_FEW } from './verdict';

export const SECOND_MS = 1_000;
/** The rate stays at this part of the limit, so that network jitter does not exceed it. */
const MARGIN = 0.99;
/** This part of what a bucket gained during a pause is sent at once; the rest is for the jitter. */
const SPENT_AT_ONCE = 0.9;
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
	period = new SendPeriod();
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
		if (this.period.refused > 0) this.reopen(this.period, now);
		if (this.rate === undefined) return 0;
		this.tokens = Math.min(this.tokens + (now - this.tokensAt) * this.rate, this.held);
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
		this.raise = Math.min(2, this.raise ** ACCELERATION);
		this.raiseAt = now + STEP_MS;
	}

	/**
	 * The service refused a request.
	 * @param pause milliseconds until the next one may be sent
	 * @param mayBeNoise whether no number in flight explains it
	 * @returns whether all others wait, too
	 */
	refuse(request: SentRequest, now: number, pause: number, mayBeNoise: boolean): boolean {
		const { period, sentAt } = request;
		// Random refusals ask for a short pause.
		if (mayBeNoise && pause < 2 * SECOND_MS && this.noise.refuse(period.taken)) {
			period.uncount();
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
		period.uncount();
		if (period === this.period) this.tokens += 1;
	}

	/** After a pause, when the responses to what was in flight have arrived. */
	private reopen(past: SendPeriod, now: number): void {
		this.inVain = past.taken === 0 ? this.inVain + 1 : 0;
		this.period = new SendPeriod();
		// A service that took nothing at all is down: that says nothing about a rate.
		if (this.rate === undefined && past.taken === 0) return;
		const rate = this.rate === undefined ? this.begin(past) : this.learn(past, this.rate);
		// A service takes at least one request per pause it asks for: if it refuses more, the rate is not the reason.
		this.rate = Math.max(MARGIN / this.longestPause, rate);
		// The more is refused whatever the rate, the less a refusal says about it.
		this.raise = Math.max(this.raise, 1 + (this.noise.share * STEP_MS) / SECOND_MS);
		this.raiseAt = now + STEP_MS;
		this.tokens = Math.max(1, Math.min(this.rate * (now - past.lastAt), this.held) * SPENT_AT_ONCE);
		this.tokensAt = now;
		this.period = new SendPeriod(this.tokens, past.refusedAt);
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
		const upper = past.leastRate(this.held, 1);
		const isNoise = this.noise.learn(past, upper > this.sure);
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
		const most = taken < credit + MIN_SAMPLE ? rate : Math.max(least, Math.min(rate, upper));
		// A limit between two rates is approached so slowly that the refusal beyond it teaches more than it costs.
		this.raise = Math.min(2, 1 + Math.log(Math.max(most / least, 1.005)) ** 2 / PATIENCE);
		this.sure = least * (1 - 1 / taken);
		return Math.cbrt(least * least * most) * MARGIN;
	}
}
