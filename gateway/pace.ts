/** Over which the pace of a service is measured. */
const SECOND_MS = 1_000;
/** A pace is kept to this part of the limit, so that jitter on the way does not break it. */
const MARGIN = 0.97;
/** A refusal lowers a pace to at most this part of it, and at least the other. */
const SMALLEST_DECREASE = 0.95;
const LARGEST_DECREASE = 0.5;
/** After fewer requests than this a refusal tells little: it may be the jitter of two of them… */
const SMALLEST_SAMPLE = 10;
/** …and lowers the pace to this part. */
const UNSURE_DECREASE = 0.8;
/** While the limit is still looked for, the pace is multiplied by this… */
const SEARCH_FACTOR = 2;
/** …each time this went well. */
const SEARCH_STEP_MS = 500;
/** A first refusal does not make everyone slower than this many requests a second: it may stand alone. */
const SLOWEST_START = 4;
/** A service that takes this many requests a second has no limit that timers could pace. */
const FASTEST = 2_000;
/** As many as at first, give or take this part, were taken after a pause: the service counts in windows. */
const WINDOW_TOLERANCE = 0.15;
/** A found pace is held this long, since every refusal closes the gate for a second or more… */
const HOLD_MS = 20_000;
/** …and then grows by this part each second. */
const GROWTH = 0.02;

/** What a request knows of its way through the gate. */
export interface Passage {
	/** When it passed, in milliseconds. */
	at: number;
	/** How many requests had passed before. */
	passed: number;
	/** How many requests the service had taken by then. */
	taken: number;
}

/**
 * How many requests a second one service takes from one key. The interface document shows no quotas, so the pace is
 * measured: after the first refusal it is raised in large steps until the next one tells the limit, held just below
 * that, and raised in small steps afterwards. It knows the two ways in which services count: a token bucket (a burst,
 * refilled evenly) and a fixed window. Pure: it is told the time and waits for nothing.
 */
export class Pace {
	/** Undefined: no limit is known. */
	private perSecond: number | undefined;
	private isSearching = false;
	/** Requests that the service took at once, before it first refused one. */
	private burst = 0;
	/** When sending began after a pause, and then each raise of the search. */
	private steps: Passage[] = [];
	private lastRefusal = -Infinity;
	private lastRaise = 0;
	private second = { start: 0, taken: 0, before: 0 };

	get isLimited(): boolean {
		return this.perSecond !== undefined;
	}

	forget(): void {
		this.perSecond = undefined;
	}

	/**
	 * A request is about to be sent.
	 * @returns the milliseconds to the next one
	 */
	next(passage: Passage): number {
		if (this.perSecond === undefined) return 0;
		if (this.steps.length === 0) this.begin(passage);
		return SECOND_MS / this.perSecond;
	}

	/** The service took a request; `passage` is what a request would know that passed now. */
	take(passage: Passage): void {
		this.startSecond(passage.at);
		this.second.taken += 1;
		if (this.perSecond === undefined) return;
		const { at } = passage;
		const isHolding = !this.isSearching && at - this.lastRefusal < HOLD_MS;
		if (isHolding || at - this.lastRaise < (this.isSearching ? SEARCH_STEP_MS : SECOND_MS)) return;
		this.lastRaise = at;
		this.perSecond *= this.isSearching ? SEARCH_FACTOR : 1 + GROWTH;
		if (this.isSearching) this.steps.push(passage);
		if (this.perSecond > FASTEST) this.forget();
	}

	/**
	 * The service refused a request.
	 * @param passage what the request knew when it passed
	 * @param pause milliseconds until the next one may be sent
	 * @param allowance `X-RateLimit-Limit-Requests`
	 */
	refuse(passage: Passage, now: number, pause: number, allowance = 0): void {
		if (this.perSecond === undefined) {
			this.burst = this.measure(now);
			// The allowance belongs to a window that the document does not name; the pause is its rest.
			const announced = (allowance * SECOND_MS) / Math.max(pause, SECOND_MS);
			this.isSearching = true;
			this.perSecond = Math.max(this.burst, announced, SLOWEST_START) * MARGIN;
		} else {
			const limit = this.estimateLimit(passage, this.perSecond) * MARGIN;
			const slowest = this.perSecond * LARGEST_DECREASE;
			const fastest = this.perSecond * SMALLEST_DECREASE;
			this.isSearching = false;
			this.perSecond = Math.max(slowest, Math.min(limit, fastest));
		}
		this.lastRefusal = now;
		this.lastRaise = now + pause;
		this.steps = [];
	}

	private begin(passage: Passage): void {
		this.steps = [passage];
		if (!this.isSearching || this.perSecond === undefined) return;
		// Answers to the first burst arrived during the pause.
		this.burst = Math.max(this.burst, this.measure(this.lastRefusal));
		this.perSecond = Math.max(this.perSecond, this.burst * MARGIN);
	}

	/** Requests a second that the service allows, from what was sent since the last pause. */
	private estimateLimit({ at, passed }: Passage, pace: number): number {
		const [first] = this.steps;
		const isWindow =
			first !== undefined &&
			this.burst >= SMALLEST_SAMPLE &&
			Math.abs(passed - first.passed - this.burst) <= this.burst * WINDOW_TOLERANCE;
		if (isWindow) return this.burst;
		// A token bucket gives its burst, and then what flows in; half a token is left of it on average.
		const samples = this.steps.map((step) => ({ sent: passed - step.passed, ms: at - step.at }));
		const flows = samples.map(({ sent, ms }) =>
			sent < SMALLEST_SAMPLE ? 0 : ((sent - this.burst + 0.5) * SECOND_MS) / Math.max(ms, 1),
		);
		const isUnsure = (samples.at(-1)?.sent ?? 0) < SMALLEST_SAMPLE;
		return Math.max(...flows, isUnsure ? pace * UNSURE_DECREASE : 0);
	}

	/** Requests that the service took within the last second. */
	private measure(now: number): number {
		this.startSecond(now);
		const { start, taken, before } = this.second;
		return Math.max(1, taken + before * (1 - (now - start) / SECOND_MS));
	}

	private startSecond(now: number): void {
		const elapsed = now - this.second.start;
		if (elapsed < SECOND_MS) return;
		const before = elapsed < 2 * SECOND_MS ? this.second.taken : 0;
		this.second = { start: now, taken: 0, before };
	}
}
