import { SECOND_MS } from '../errors/duration';
import { A_FEW } from './verdict';

/** The rate is this part of the limit, so that network jitter does not exceed the limit. */
const MARGIN = 0.99;
/** Of the tokens gained during a pause, this part is spent at once. The rest is for the jitter. */
const SPENT_AT_ONCE = 0.9;
/** Fewer requests than this after those sent at once say little about the rate. */
const MIN_SAMPLE = 10;
/** The rate is raised once in a step. */
const STEP_MS = 250;
/** The larger, the less the rate is raised. */
const PATIENCE = 40;
/** The raise itself grows by this power with each step, since the limit may be lifted. */
const ACCELERATION = 1.08;
/** Noise refuses at most this share of the requests. */
const MAX_NOISE = 0.3;
/** The share of noise is a mean of so many requests. */
const NOISE_MEMORY = 100;
/** A limit refuses this share of the requests. */
const AT_LIMIT = 0.5;
/** The logarithm of how many times likelier a limit than noise must be. */
const CERTAIN = 5;

/** The number of requests is noted once in this time, and the last notes are kept: those of ten seconds or more. */
const NOTE_MS = 50;
const MAX_NOTES = 200;

export interface SentRequest {
	sentAt: number;
	period: SendPeriod;
}

/**
 * Estimates how many requests a service takes, as a bucket of tokens that refills evenly (README.md). Pure: times come as
 * arguments, in milliseconds.
 */
export class LimitEstimator {
	/** The service asked for no requests before this time. */
	closedUntil = 0;
	/** The requests since the last pause. */
	period = new SendPeriod();
	/** Pauses in a row after which the service took no request. */
	inVain = 0;
	/** Requests per millisecond; undefined if no limit is known. */
	private rate: number | undefined;
	/** Requests per millisecond that the service takes at least. */
	private least = 0;
	/** How many tokens the bucket holds. */
	private held = Infinity;
	/** Requests that could be sent at once at `tokensAt`. */
	private tokens = 0;
	private tokensAt = 0;
	private longestPause = 0;
	/** The factor by which the rate is raised when the service takes a request that was sent after `raiseAt`. */
	private raise = 2;
	private raiseAt = 0;
	/** The share of requests that the service refuses at any rate; 0 if the rate explains the last pause. */
	private noise = 0;
	/** The logarithm of how much likelier a limit explains the last responses than noise alone. */
	private doubt = 0;

	/** Milliseconds until the next request may be sent; 0 or less: now. */
	msUntilNext(now: number): number {
		if (now < this.closedUntil) return this.closedUntil - now;
		if (this.period.refused > 0) this.reopen(this.period, now);
		if (this.rate === undefined) return 0;
		this.tokens = Math.min(this.tokens + (now - this.tokensAt) * this.rate, this.held);
		this.tokensAt = now;
		return (1 - this.tokens) / this.rate;
	}

	/** A request is sent now. Returns its period. */
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
	 * @param pause milliseconds until the next request may be sent
	 * @param mayBeNoise false if a limit of requests in flight explains the refusal
	 * @returns whether all requests wait; otherwise the refusal was noise
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

	/** A request never reached the service, as if it had not been sent. */
	giveBack({ period }: SentRequest): void {
		period.uncount();
		if (period === this.period) this.tokens += 1;
	}

	/** Begins a period after a pause. */
	private reopen(past: SendPeriod, now: number): void {
		this.inVain = past.taken === 0 ? this.inVain + 1 : 0;
		this.doubt = 0;
		this.period = new SendPeriod();
		// A service that took no request at all is down, which says nothing about a rate.
		if (this.rate === undefined && past.taken === 0) return;
		const pause = this.closedUntil - past.lastAt;
		this.longestPause = Math.max(this.longestPause, pause);
		const rate = this.rate === undefined ? this.begin(past, pause) : this.learn(past, this.rate);
		// A service takes at least one request for each pause that it asks for. If it refuses more, the rate is not the reason.
		this.rate = Math.max(MARGIN / this.longestPause, rate);
		// The more requests are refused at any rate, the less a refusal says about the rate.
		this.raise = Math.max(this.raise, 1 + this.noise / 4);
		this.raiseAt = now + STEP_MS;
		this.tokens = Math.max(1, Math.min(this.rate * (now - past.lastAt), this.held) * SPENT_AT_ONCE);
		this.tokensAt = now;
		this.period = new SendPeriod(this.tokens, past.refusedAt);
	}

	/** The rate after the first pause, as if the service took this much again and again. */
	private begin(past: SendPeriod, pause: number): number {
		const { taken, ms } = past.recent;
		this.least = taken / (ms + pause);
		this.held = Math.max(1, taken - this.least * ms);
		// The refusal may be noise.
		return Math.max(this.least, A_FEW / pause) * MARGIN;
	}

	/** The rate after a further pause: of a bucket that gave these requests, and not one more. */
	private learn(past: SendPeriod, rate: number): number {
		const { taken, refused, credit, emptyAt, refusedAt } = past;
		const upper = past.rateToGive(taken + 1, this.held);
		// Of two refusals, the second may be noise, too.
		const isNoise = upper <= this.least && refused <= 2;
		const share = Math.min(MAX_NOISE, refused / (taken + refused));
		this.noise = isNoise ? Math.max(this.noise, share) : 0;
		// The pause was too short, or the rate is not the reason: neither says anything about the limit.
		if (taken === 0) return rate;
		if (isNoise) return (this.least *= 1 - 1 / taken);
		// The bucket was empty at both refusals, so it gave what it gained between them.
		const lower = Math.max(taken / (refusedAt - emptyAt), past.rateToGive(taken, this.held));
		const least = (this.least = Math.min(lower, rate));
		const most = taken < credit + MIN_SAMPLE ? rate : Math.max(least, Math.min(upper, rate));
		// The closer the two, the more slowly the rate grows: each refusal costs a pause.
		this.raise = Math.min(2, 1 + Math.log(Math.max(most / least, 1.05)) ** 2 / PATIENCE);
		return Math.cbrt(least * least * most) * MARGIN;
	}
}

/** The requests that were sent between two pauses. Times in milliseconds. */
class SendPeriod {
	lastAt = 0;
	/** Requests that the service has not refused. */
	taken = 0;
	refused = 0;
	/** When the first refused request was sent: then the bucket was empty. */
	refusedAt = 0;
	/** How many requests had been sent at some times. */
	private readonly notes: Array<{ at: number; sent: number }> = [];

	/**
	 * @param credit requests that could be sent at once when the period began
	 * @param emptyAt when the bucket was empty before that
	 */
	constructor(
		readonly credit = Infinity,
		readonly emptyAt = 0,
	) {}

	send(now: number): void {
		if (now - (this.notes.at(-1)?.at ?? -Infinity) >= NOTE_MS)
			this.notes.push({ at: now, sent: this.taken });
		if (this.notes.length > MAX_NOTES) this.notes.shift();
		this.lastAt = now;
		this.taken += 1;
	}

	/** A request says nothing about the rate, as if it had not been sent. */
	uncount(): void {
		this.taken -= 1;
	}

	refuse(sentAt: number): void {
		if (this.refused === 0) this.refusedAt = sentAt;
		this.refused += 1;
		this.taken -= 1;
	}

	/** The requests taken since the oldest note, and the milliseconds since then. */
	get recent(): { taken: number; ms: number } {
		const [{ at, sent } = { at: this.lastAt, sent: 0 }] = this.notes;
		return { taken: Math.max(1, this.taken - sent), ms: this.lastAt - at };
	}

	/** The lowest rate of a bucket that gives so many requests, whenever it was full in this period; per millisecond. */
	rateToGive(requests: number, held: number): number {
		const rateSince = ({ at, sent }: { at: number; sent: number }) =>
			(requests - sent - held) / Math.max(NOTE_MS, this.lastAt - at);
		return Math.max(...this.notes.map(rateSince));
	}
}
