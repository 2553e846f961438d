import { FixedWindow } from './fixedWindow';
import { Noise } from './noise';
import { SendPeriod } from './sendPeriod';

const SECOND_MS = 1_000;
/** The rate stays at this part of the limit, so that network jitter does not exceed it. */
const MARGIN = 0.99;
/** This part of what a bucket gained during a pause is sent at once; the rest is for the jitter. */
const SPENT_AT_ONCE = 0.9;
/** A first refusal may be an exception: the first rate is at least this many requests per pause. */
const SLOWEST_START = 4;
/** The rate is raised after each of these steps, or after each request if those are further apart… */
const STEP_MS = 250;
/** …at most twofold, as long as no rate is known to be too high… */
const MAX_RAISE = 2;
/** …by less the better the limit is known, since each refusal costs a pause… */
const PATIENCE = 40;
/**
 * …but by ever more, since a limit may be lifted, or another process with the same key may finish. Each step adds this
 * part, divided by the seconds that a refusal costs: about half a minute for each of these seconds.
 */
const ACCELERATION = 0.045;
/** Fewer requests than this, beyond those sent at once after a pause, say little about the rate. */
const MIN_SAMPLE = 10;
/** Fewer requests than this at once are no burst, and no window. */
const MIN_BURST = 2;
/** Two windows are alike if their numbers differ by at most this part: other processes may use the same key. */
const ALIKE = 0.25;
/** How precisely a rate is estimated. */
const PRECISION = 1.005;
/** Who is refused at random is told to come back soon: a pause as long as this is one for all. */
const MAX_NOISE_PAUSE_MS = 2_000;
/** If a burst was refused, the bucket held less than estimated: this part of it. */
const SURELY_HELD = 0.75;

export interface SentRequest {
	sentAt: number;
	period: SendPeriod;
	/** Which one of its period it is. */
	number: number;
	/** Sent to learn whether a window takes more than it did. */
	isTrial: boolean;
}

/**
 * Estimates how many requests one service takes from one key, as README.md explains: as a bucket of tokens that holds
 * a burst and refills evenly, or, when it takes the same number after each pause, as a window of that many. Pure: it
 * is given the time, in milliseconds, and waits for nothing.
 */
export class LimitEstimator {
	/** The service asked for no requests before this time. */
	closedUntil = -Infinity;
	/** The requests since the last pause. */
	period = new SendPeriod(-Infinity);
	/** Requests per second; undefined: no limit is known. */
	private rate: number | undefined;
	/** Present when the service is known to count in windows. */
	private window: FixedWindow | undefined;
	/** How many tokens the bucket holds, if it refills at a rate. */
	private burst: (rate: number) => number = () => 1;
	/** Requests that the service took in the period before this one. */
	private lastTaken = 0;
	/** Requests that could be sent at once, at this time. */
	private tokens = 0;
	private tokensAt = 0;
	private pause = SECOND_MS;
	private longestPause = SECOND_MS;
	/** The factor by which the rate is raised when the service takes a request that was sent after this time. */
	private raise = MAX_RAISE;
	private raiseAt = 0;
	/** The power by which the raise itself grows in each step. */
	private acceleration = 1;
	/** Requests per second that the service is sure to take. */
	private sure = 0;
	private noise = new Noise();

	get isLimited(): boolean {
		return this.rate !== undefined;
	}

	forget(): void {
		this.rate = undefined;
		this.window = undefined;
		this.longestPause = SECOND_MS;
		this.noise = new Noise();
		this.period = new SendPeriod(-Infinity);
	}

	/** Milliseconds until the next request may be sent. */
	msUntilNext(now: number): number {
		if (now < this.closedUntil) return this.closedUntil - now;
		if (this.period.isOver) this.reopen(this.period, now);
		if (this.window !== undefined) return this.window.msUntilNext(now);
		if (this.rate === undefined) return 0;
		const gained = ((now - this.tokensAt) * this.rate) / SECOND_MS;
		// A timer fires up to a millisecond late: this makes up for it.
		const most = this.burst(this.rate) + this.rate / SECOND_MS;
		this.tokens = Math.min(this.tokens + gained, most);
		this.tokensAt = now;
		// A rounding error must not cost another timer.
		return this.tokens > 1 - 1e-6 ? 0 : ((1 - this.tokens) * SECOND_MS) / this.rate;
	}

	/**
	 * A request is about to be sent.
	 * @param hasWaited if not, fewer requests are sent than the rate allows, and a raise would prove nothing
	 */
	send(now: number, hasWaited: boolean): SentRequest {
		if (!hasWaited) this.raiseAt = Math.max(this.raiseAt, now + STEP_MS);
		const { period, window } = this;
		const number = period.send(now);
		window?.send(now);
		this.tokens -= 1;
		return { sentAt: now, period, number, isTrial: window?.isTrying ?? false };
	}

	/** The service took a request. */
	accept({ sentAt, period, isTrial }: SentRequest, now: number): void {
		this.noise.accept();
		if (isTrial) this.window?.acceptTrial();
		if (this.window !== undefined || this.rate === undefined) return;
		if (period !== this.period || period.isOver || sentAt < this.raiseAt) return;
		this.rate *= this.raise;
		const steps = Math.max(1, SECOND_MS / this.rate / STEP_MS);
		this.raise = Math.min(MAX_RAISE, this.raise ** (this.acceleration ** steps));
		this.raiseAt = now + STEP_MS;
	}

	/**
	 * The service refused a request.
	 * @param pause milliseconds until the next one may be sent
	 * @param older requests in flight that were sent earlier
	 * @returns whether all others wait, too
	 */
	refuse({ period, number }: SentRequest, now: number, pause: number, older: number): boolean {
		const mayBeNoise = !period.isOver && pause < MAX_NOISE_PAUSE_MS;
		if (mayBeNoise && this.noise.refuse(period.taken)) {
			period.excuse();
			return false;
		}
		period.refuse(number, older);
		this.closedUntil = Math.max(this.closedUntil, now + pause);
		this.pause = Math.max(pause, SECOND_MS);
		this.longestPause = Math.max(this.longestPause, this.pause);
		return true;
	}

	/** After a pause, when the responses to what was in flight have arrived. */
	private reopen(past: SendPeriod, now: number): void {
		const { rate } = this;
		// A service that took nothing at all is down: that says nothing about a rate.
		if (rate === undefined && past.taken === 0) {
			this.period = new SendPeriod(now);
			return;
		}
		// A service takes at least one request per pause it asks for: if it refuses more, the rate is not the reason.
		const slowest = (SECOND_MS / this.longestPause) * MARGIN;
		this.rate =
			rate === undefined
				? this.begin(past)
				: Math.max(this.learn(past, rate), Math.min(rate, slowest));
		// The more is refused whatever the rate, the less a refusal says about it.
		this.raise = Math.max(this.raise, 1 + (this.noise.share * STEP_MS) / SECOND_MS);
		this.raiseAt = now + STEP_MS;
		const gained = (this.rate * (now - past.lastAt)) / SECOND_MS;
		this.tokens = Math.max(1, Math.min(gained, this.burst(this.rate)) * SPENT_AT_ONCE);
		const lostSeconds = (1 + gained - this.tokens) / this.rate;
		this.acceleration = 1 + ACCELERATION / lostSeconds;
		this.tokensAt = now;
		this.lastTaken = past.taken;
		this.period = new SendPeriod(now, this.tokens, past.lastAt);
	}

	/** After the first refusal: as if the service always took this much until it refuses, and nothing in the pause. */
	private begin(past: SendPeriod): number {
		const { taken, ms } = past.recent;
		const cycle = Math.max(1, ms + this.closedUntil - past.lastAt);
		const flow = taken / cycle;
		// A bucket may refill more slowly than that later, but it held no more for it.
		this.burst = (rate) => past.depth(Math.max(rate, flow * SECOND_MS));
		this.raise = MAX_RAISE;
		this.sure = (flow - 1 / cycle) * SECOND_MS;
		return Math.max(flow, SLOWEST_START / this.pause) * SECOND_MS * MARGIN;
	}

	/** After a further refusal: between which rates is the limit of a bucket that took this period and no more? */
	private learn(past: SendPeriod, rate: number): number {
		const { taken, credit } = past;
		const length = past.secondsUntil(this.closedUntil) * SECOND_MS;
		// A bucket that receives requests a little too fast asks for a short pause; a window asks for its rest.
		// A pause of one second may be rounded up: only a longer one shows the rest of a window.
		const isRest = this.pause > Math.max(SECOND_MS, length / 2 - 1);
		const difference = Math.abs(taken - this.lastTaken);
		// So much is rounded up that the same number after a short period says nothing.
		const isExact = taken >= credit && this.pause > Math.min(SECOND_MS, length / 2);
		const isAlike = isRest ? difference <= ALIKE * taken : isExact && difference === 0;
		const { window, burst } = this;
		this.window = undefined;
		if ((isAlike && taken >= MIN_BURST) || (isRest && window !== undefined))
			return this.countWindow(taken, length, isRest);
		const isExplained =
			window !== undefined || past.isOfNumber || past.depth(this.sure, 1) > burst(this.sure);
		const isNoise = this.noise.learn(past, isExplained);
		// The pause it asked for was too short, or the rate is not the reason: that says nothing about its limit.
		if (taken === 0) return rate;
		if (isNoise) {
			const { sure } = this;
			this.sure *= 1 - 1 / taken;
			return sure;
		}
		// Requests of a window are sent faster than its rate, which says nothing about a bucket.
		if (window !== undefined) return this.begin(past);
		const least = bisect(Math.min(past.flow, rate), rate, (r) => past.depth(r) - 1 > burst(r));
		const most = bisect(least, rate, (r) => past.depth(r) + 1 > burst(r));
		const isSmall = taken < credit + MIN_SAMPLE;
		const upper = isSmall ? rate : most;
		this.raise = raiseBetween(least, upper);
		if (isSmall && credit >= MIN_BURST) {
			const held = Math.max(1, Math.min(taken, credit) * SURELY_HELD);
			this.burst = () => held;
			this.raise = MAX_RAISE;
		}
		this.sure = least * (1 - 1 / taken);
		return Math.cbrt(least * least * upper) * MARGIN;
	}

	/** The service took about as many requests as after the pause before. */
	private countWindow(taken: number, length: number, isRest: boolean): number {
		const requests = Math.max(1, taken);
		if (isRest) this.window = new FixedWindow(requests, length);
		this.burst = () => 1;
		this.raise = raiseBetween(requests, requests + 1);
		this.sure = ((requests - 1) * SECOND_MS) / length;
		return ((requests * SECOND_MS) / length) * MARGIN;
	}
}

/** A limit between two rates is approached so slowly that the refusal beyond it teaches more than it costs. */
function raiseBetween(least: number, most: number): number {
	// Where both are the same the limit is tested again all the same.
	const raise = 1 + Math.log(Math.max(most / least, PRECISION)) ** 2 / PATIENCE;
	return Math.min(MAX_RAISE, raise);
}

/** The highest rate between two for which a condition holds that holds for all lower ones. */
function bisect(from: number, to: number, holds: (rate: number) => boolean): number {
	if (!holds(from)) return from;
	if (holds(to)) return to;
	let [low, high] = [from, to];
	while (high > low * PRECISION) {
		const middle = Math.sqrt(low * high);
		if (holds(middle)) low = middle;
		else high = middle;
	}
	return low;
}
