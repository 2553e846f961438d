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
/** Noise refuses at most this share of the requests, as one of so many shows, and a limit at least the other share. */
const MAX_NOISE = 0.3;
const NOISE_MEMORY = 100;
const AT_LIMIT = 0.5;
/** There is a limit when the last responses are so many times likelier at a limit than with noise alone: the logarithm. */
const CERTAIN = 5;

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
	/** Requests per millisecond that the service takes at least. */
	private least = 0;
	/** How many tokens the bucket holds. */
	private held = Infinity;
	/** Requests that could be sent at once, at this time. */
	private tokens = 0;
	private tokensAt = 0;
	private longestPause = 0;
	/** The factor by which the rate is raised when the service takes a request that was sent after this time. */
	private raise = 2;
	private raiseAt = 0;
	/** The share of requests that is refused whatever their rate; 0 if the rate explains the last pause. */
	private noise = 0;
	/** How much likelier the last responses are at a limit than with noise alone: the logarithm. */
	private doubt = 0;

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
		this.doubt = Math.max(0, this.doubt + Math.log((1 - AT_LIMIT) / (1 - this.noise)));
		this.noise *= 1 - 1 / NOISE_MEMORY;
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
	refuse({ period, sentAt }: SentRequest, now: number, pause: number, mayBeNoise: boolean) {
		this.doubt += Math.log(AT_LIMIT / this.noise);
		// Random refusals ask for a short pause. A limit refuses the first requests after one.
		const mayBeChance = mayBeNoise && pause < 2 * SECOND_MS && period.taken >= A_FEW;
		if (mayBeChance && this.doubt <= CERTAIN) {
			this.noise = Math.min(MAX_NOISE, this.noise + 1 / NOISE_MEMORY);
			period.uncount();
			return false;
		}
		period.refuse(sentAt);
		this.closeUntil(now + pause);
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
		this.doubt = 0;
		this.period = new SendPeriod();
		// A service that took nothing at all is down: that says nothing about a rate.
		if (this.rate === undefined && past.taken === 0) return;
		const pause = this.closedUntil - past.lastAt;
		this.longestPause = Math.max(this.longestPause, pause);
		const rate = this.rate === undefined ? this.begin(past, pause) : this.learn(past, this.rate);
		// A service takes at least one request per pause it asks for: if it refuses more, the rate is not the reason.
		this.rate = Math.max(MARGIN / this.longestPause, rate);
		// The more is refused whatever the rate, the less a refusal says about it.
		this.raise = Math.max(this.raise, 1 + this.noise / 4);
		this.raiseAt = now + STEP_MS;
		this.tokens = Math.max(1, Math.min(this.rate * (now - past.lastAt), this.held) * SPENT_AT_ONCE);
		this.tokensAt = now;
		this.period = new SendPeriod(this.tokens, past.refusedAt);
	}

	/** After the first refusal: as if the service always took this much until it refuses, and nothing in the pause. */
	private begin(past: SendPeriod, pause: number): number {
		const { taken, ms } = past.recent;
		this.least = taken / (ms + pause);
		this.held = Math.max(1, taken - this.least * ms);
		// The refusal may be an exception.
		return Math.max(this.least, A_FEW / pause) * MARGIN;
	}

	/** After a further refusal: which rates has a bucket that gave this many, and not one more? */
	private learn(past: SendPeriod, rate: number): number {
		const { taken, refused, credit, emptyAt, refusedAt } = past;
		const upper = past.rateToGive(taken + 1, this.held);
		// Beside the first refusal, one may be chance.
		const isNoise = upper <= this.least && refused <= 2;
		const share = Math.min(MAX_NOISE, refused / (taken + refused));
		this.noise = isNoise ? Math.max(this.noise, share) : 0;
		// The pause it asked for was too short, or the rate is not the reason: that says nothing about its limit.
		if (taken === 0) return rate;
		if (isNoise) return (this.least *= 1 - 1 / taken);
		// The bucket was empty at both refusals: it gave what it gained between them.
		const lower = Math.max(taken / (refusedAt - emptyAt), past.rateToGive(taken, this.held));
		const least = (this.least = Math.min(lower, rate));
		const most = taken < credit + MIN_SAMPLE ? rate : Math.max(least, Math.min(upper, rate));
		// A limit between two rates is approached so slowly that the refusal beyond it teaches more than it costs.
		this.raise = Math.min(2, 1 + Math.log(Math.max(most / least, 1.05)) ** 2 / PATIENCE);
		return Math.cbrt(least * least * most) * MARGIN;
	}
}
