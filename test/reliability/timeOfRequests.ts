import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../gateway';
import { virtualTime } from '../engine/virtualTime';
import { TIMEOUT } from './ways';

/** Every request begins with a timer of one of these lengths, while it connects or is written, and nothing else has such. */
const FIRST_TIMERS_MS = [10_000, 1000 * TIMEOUT];
/** How long to wait, in real time, for the last that a service says before it falls silent. */
const LAST_WORDS_MS = 150;
/** Real time after which work that should be over is taken to hang. */
const STUCK_MS = 20_000;

interface TimedRequest {
	/** Timers that it has set. */
	timers: number;
}

/**
 * The gateway's clock for probes: it stands still while a request is under way and jumps to the next event when none
 * is, so that the pauses between requests are exact however slow the machine is.
 */
export class TimeOfRequests {
	private readonly time = virtualTime();
	private underWay = 0;
	/** The one whose timer is firing. */
	private request: TimedRequest | undefined;
	/** The request whose last words were waited for. */
	private heard = 0;
	/** Requests begun. */
	begun = 0;

	constructor() {
		const { clock } = this.time;
		systemClock.after = (ms, action) => {
			const isNext = this.request !== undefined;
			if (!isNext && !FIRST_TIMERS_MS.includes(ms)) return clock.after(ms, action);
			const request = this.request ?? this.begin();
			request.timers += 1;
			const stop = clock.after(ms, () => {
				// A request that may be silent for longer sets its next timer at once.
				this.request = request;
				action();
				this.request = undefined;
				this.end(request);
			});
			return () => {
				stop();
				this.end(request);
			};
		};
	}

	private begin(): TimedRequest {
		this.begun += 1;
		this.underWay += 1;
		return { timers: 0 };
	}

	private end(request: TimedRequest): void {
		if (request.timers > 0) request.timers -= 1;
		else return;
		if (request.timers === 0) this.underWay -= 1;
	}

	now = () => this.time.clock.now();

	/**
	 * Lets time pass until the work is settled.
	 * @param isSilent whether the request under way will never be answered, so that time passes all the same
	 * @param isReady whether time may pass when no request is under way
	 */
	async until<Result>(
		work: Promise<Result>,
		isSilent: () => boolean = () => false,
		isReady: () => boolean = () => true,
	): Promise<Result> {
		const { clock } = this.time;
		let settled = false;
		const settle = () => void (settled = true);
		work.then(settle, settle);
		const begun = Date.now();
		while (!settled) {
			await new Promise(setImmediate);
			if (Date.now() - begun > STUCK_MS) throw new Error('The work does not end');
			if (this.underWay > 0 && !isSilent()) continue;
			if (this.underWay > 0 && this.heard !== this.begun) await delay(LAST_WORDS_MS);
			this.heard = this.begun;
			if (!settled && isReady() && clock.timers > 0) clock.advance(clock.nextIn);
		}
		return await work;
	}

	/** Lets so many milliseconds pass while a request is in flight. */
	pass(ms: number): void {
		this.time.clock.advance(ms);
	}

	restore(): void {
		this.time.restore();
	}
}
