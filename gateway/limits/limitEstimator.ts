import { SendPeriod } from './sendPeriod';
import { FixedWindow } from './fixedWindow';

const SECOND_MS = 1_000;
/** A pace is kept to this part of the limit, so that jitter on the way does not break it. */
const MARGIN = 0.99;
/** Of what flowed in during a pause this part is spent at once; the rest is for the jitter. */
const SPENT_AT_ONCE = 0.9;
/** A first refusal may stand alone: it allows no fewer requests than this in a pause. */
const SLOWEST_START = 4;
/** An allowance that the service announces is believed up to so many times what it took. */
const MOST_BELIEVED = 4;
/** A service that takes this many requests a second has no limit that timers could pace. */
const FASTEST = 2_000;
/** The pace is raised in steps of this length, or of one request, while the service takes what is sent… */
const STEP_MS = 250;
/** …at most twofold, as long as no rate is known to be too high… */
const LARGEST_RAISE = 2;
/** …and the less, the better the limit is known, since each refusal costs a pause… */
const PATIENCE = 40;
const SMALLEST_RAISE = 1.00001;
/** …but by ever more, since a limit may be lifted. */
const ACCELERATION = 1.03;
/** Fewer requests than this, beyond those that were sent at once after a pause, tell little. */
const SMALLEST_SAMPLE = 10;
/** If the service held less than was thought, then this part of it. */
const SURELY_HELD = 0.75;
/** If so many were sent at once, then a refusal soon after may mean that the service held less. */
const SMALLEST_BURST = 2;
/** Windows of fewer requests are not told from a burst; a larger one lets through this part of it ahead of its pace. */
const SMALLEST_WINDOW = 2;
const AHEAD = 0.01;
/** With shorter pauses it is kept to evenly: whole seconds are too large a part of them to tell how long the window is. */
const SHORTEST_WINDOW_PAUSE_MS = 5 * SECOND_MS;

/** When a request was sent, and in which stretch. */
export interface SentRequest {
	sentAt: number;
	period: SendPeriod;
}

/**
 * How many requests one service takes from one key. The interface document shows no quotas, so the service is modelled:
 * as a bucket of tokens that holds a burst and is refilled evenly, or, when it takes the same number after each pause,
 * as a window of that many. After a first refusal the pace is raised until the next one; what was taken in between tells
 * between which rates the limit is, and the pace is raised anew from the lower of them, the more slowly the closer they
 * are. Pure: it is told the time and waits for nothing.
 */
export class LimitEstimator {
	/** Nobody passes before, because the service said so. */
	closedUntil = -Infinity;
	/** What is being sent since the last pause. */
	period = new SendPeriod(-Infinity);
	/** Undefined: no limit is known. */
	private perSecond: number | undefined;
	/** Present when the service is known to count in long windows. */
	private window: FixedWindow | undefined;
	/** How many tokens the service holds, if so many flow in each second. */
	private burst: (perSecond: number) => number = () => 1;
	/** Requests that it took from the pause before the last to the last. */
	private lastTaken = 0;
	/** Requests that could be sent at once, at this time. */
	private tokens = 0;
	private tokensAt = 0;
	private pause = SECOND_MS;
	private longestPause = SECOND_MS;
	private announced = 0;
	/** By which factor the pace is raised when the service takes a request that passed after this time. */
	private raise = LARGEST_RAISE;
	private raiseAt = 0;

	get isLimited(): boolean {
		return this.perSecond !== undefined;
	}

	forget(): void {
		this.perSecond = undefined;
		this.window = undefined;
		this.longestPause = SECOND_MS;
		this.period = new SendPeriod(-Infinity);
	}

	/** Milliseconds until the next request may be sent. */
	msUntilNext(now: number): number {
		if (now < this.closedUntil) return this.closedUntil - now;
		if (this.period.isOver) this.reopen(this.period, now);
		if (this.window !== undefined) return this.window.msUntilNext(now);
		if (this.perSecond === undefined) return 0;
		const flowed = ((now - this.tokensAt) * this.perSecond) / SECOND_MS;
		// A timer fires up to a millisecond late: what it cost is caught up.
		const most = this.burst(this.perSecond) + this.perSecond / SECOND_MS;
		this.tokens = Math.min(this.tokens + flowed, most);
		this.tokensAt = now;
		// A rounding error must not cost another timer.
		return this.tokens > 1 - 1e-6 ? 0 : ((1 - this.tokens) * SECOND_MS) / this.perSecond;
	}

	/**
	 * A request is about to be sent.
	 * @param hasWaited if not, then no more is to be sent than the pace allows, and to raise it would tell nothing
	 */
	send(now: number, hasWaited: boolean): void {
		if (!hasWaited) this.raiseAt = Math.max(this.raiseAt, now + STEP_MS);
		this.period.send(now);
		this.window?.send(now);
		this.tokens -= 1;
	}

	/** The service took a request. */
	accept({ sentAt, period }: SentRequest, now: number): void {
		if (this.window?.isOutdated(now)) this.forget();
		if (this.window !== undefined) return;
		if (this.perSecond === undefined || period !== this.period) return;
		if (period.isOver || sentAt < this.raiseAt) return;
		this.perSecond *= this.raise;
		this.raise = Math.min(LARGEST_RAISE, this.raise ** ACCELERATION);
		this.raiseAt = now + step(this.perSecond);
		if (this.perSecond > FASTEST) this.perSecond = undefined;
	}

	/**
	 * The service refused a request.
	 * @param pause milliseconds until the next one may be sent
	 * @param allowance `X-RateLimit-Limit-Requests`
	 */
	refuse({ period }: SentRequest, now: number, pause: number, allowance = 0): void {
		period.refuse();
		this.closedUntil = Math.max(this.closedUntil, now + pause);
		this.pause = Math.max(pause, SECOND_MS);
		this.longestPause = Math.max(this.longestPause, this.pause);
		this.announced = allowance;
	}

	/** After a pause, when the answers of what was under way have arrived. */
	private reopen(past: SendPeriod, now: number): void {
		if (this.window?.lengthen(this.pause, past.refused)) {
			this.period = new SendPeriod(now);
			return;
		}
		this.window = undefined;
		const pace = this.perSecond;
		// A service that took nothing is out of order: that tells of no rate.
		if (pace === undefined && past.taken === 0) {
			this.period = new SendPeriod(now);
			return;
		}
		// A service takes one request in each pause that it asks for: if it refuses more, the pace is not the reason.
		const slowest = (SECOND_MS / this.longestPause) * MARGIN;
		this.perSecond =
			pace === undefined
				? this.begin(past)
				: Math.max(this.learn(past, now, pace), Math.min(pace, slowest));
		this.raiseAt = now + step(this.perSecond);
		const flowed = (this.perSecond * (now - past.lastAt)) / SECOND_MS;
		this.tokens = Math.max(1, Math.min(flowed, this.burst(this.perSecond)) * SPENT_AT_ONCE);
		this.tokensAt = now;
		this.lastTaken = past.taken;
		this.period = new SendPeriod(now, this.tokens, past.lastAt);
	}

	/** The first refusal: as if the service always took so much until it refuses, and nothing in the pause. */
	private begin(past: SendPeriod): number {
		const { taken, ms } = past.recent;
		this.burst = (perSecond) => past.depth(perSecond);
		const cycle = Math.max(1, ms + this.closedUntil - past.lastAt);
		const measured = Math.max(taken / cycle, SLOWEST_START / this.pause);
		// The allowance belongs to a window that the document does not name; the pause is its rest.
		const told = Math.min(this.announced / this.pause, measured * MOST_BELIEVED);
		this.raise = LARGEST_RAISE;
		return Math.max(measured, told) * SECOND_MS * MARGIN;
	}

	/** A further refusal: between which rates is the limit of a bucket that took what this stretch took, and no more? */
	private learn(past: SendPeriod, now: number, pace: number): number {
		const { taken, credit } = past;
		if (taken === this.lastTaken && taken >= SMALLEST_WINDOW) return this.countWindows(past, now);
		// The pause that it asked for was too short: that says nothing of its limit.
		if (taken === 0) return pace;
		const { burst } = this;
		const least = bisect(Math.min(past.flow, pace), pace, (r) => past.depth(r) - 1 > burst(r));
		const most = bisect(least, pace, (r) => past.depth(r) + 1 > burst(r));
		const isSmall = taken < credit + SMALLEST_SAMPLE;
		const upper = isSmall ? pace : most;
		this.raise = raiseBetween(least, upper);
		if (isSmall && credit >= SMALLEST_BURST) {
			const held = Math.max(1, Math.min(taken, credit) * SURELY_HELD);
			this.burst = () => held;
			this.raise = LARGEST_RAISE;
		}
		return Math.cbrt(least * least * upper) * MARGIN;
	}

	/** The service took so many after each of two pauses. */
	private countWindows(past: SendPeriod, now: number): number {
		const { taken } = past;
		const seconds = past.secondsUntil(this.closedUntil);
		const length = seconds * SECOND_MS;
		if (this.pause >= Math.max(SHORTEST_WINDOW_PAUSE_MS, length / 2)) {
			this.window = new FixedWindow(taken, length, past.times, now);
		}
		this.burst = () => 1 + taken * AHEAD;
		this.raise = raiseBetween(taken, taken + 1);
		return (taken / seconds) * MARGIN;
	}
}

function step(perSecond: number): number {
	return Math.max(STEP_MS, SECOND_MS / perSecond);
}

/** A limit between two rates is approached so slowly that the refusal beyond it tells more than it costs. */
function raiseBetween(least: number, most: number): number {
	const raise = 1 + Math.log(most / least) ** 2 / PATIENCE;
	return Math.min(LARGEST_RAISE, Math.max(SMALLEST_RAISE, raise));
}

/** Up to where this holds, between two rates. */
function bisect(from: number, to: number, holds: (perSecond: number) => boolean): number {
	if (!holds(from)) return from;
	if (holds(to)) return to;
	let [low, high] = [from, to];
	while (high > low * 1.005) {
		const middle = Math.sqrt(low * high);
		if (holds(middle)) low = middle;
		else high = middle;
	}
	return low;
}
