import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../gateway';
import { VirtualClock } from './virtualClock';

/** How long a request may take to connect. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The default of the option Timeout. */
const TIMEOUT_MS = 300_000;
/** How long to wait, in real time, for the last data of a service that then stops sending. */
const LAST_DATA_MS = 150;
/** Processor time after which a run counts as hanging: on a busy machine, real time says nothing. To ask for it is slow. */
const HANG_MS = 20_000;
const TURNS_BETWEEN_CHECKS = 1_000;

interface TimedRequest {
	/** The number of pending timers. */
	timers: number;
}

/**
 * A virtual clock in place of the gateway's. It stops while a request is in flight and jumps to the next timer otherwise,
 * so that the pauses between requests are exact on any machine.
 */
export class RequestClock extends VirtualClock {
	private readonly real = { ...systemClock };
	private inFlight = 0;
	/** The request whose timer fires. */
	private request: TimedRequest | undefined;
	/** The number of the request whose last data was waited for. */
	private lastDataAwaited = 0;
	/** The number of requests started. */
	started = 0;

	/** @param timeoutMs the Timeout of the requests */
	constructor(timeoutMs = TIMEOUT_MS) {
		super();
		const { now, wallTime, sleep } = this;
		// The first timer of a request has one of these durations. No other timer does.
		const firstTimersMs = [CONNECT_TIMEOUT_MS, timeoutMs];
		const after = (ms: number, action: () => void) => {
			const isNext = this.request !== undefined;
			if (!isNext && !firstTimersMs.includes(ms)) return this.after(ms, action);
			const request = this.request ?? this.start();
			request.timers += 1;
			const stop = this.after(ms, () => {
				// A request that is not timed out sets its next timer here.
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
		Object.assign(systemClock, { now, wallTime, sleep, after });
	}

	private start(): TimedRequest {
		this.started += 1;
		this.inFlight += 1;
		return { timers: 0 };
	}

	private end(request: TimedRequest): void {
		if (request.timers > 0) request.timers -= 1;
		else return;
		if (request.timers === 0) this.inFlight -= 1;
	}

	/**
	 * Advances the clock until the promise settles.
	 * @param isSilent whether the request in flight gets no more data, so that the clock may advance
	 * @param isReady whether the clock may advance while no request is in flight
	 */
	async until<Result>(
		work: Promise<Result>,
		isSilent: () => boolean = () => false,
		isReady: () => boolean = () => true,
	): Promise<Result> {
		let settled = false;
		const settle = () => void (settled = true);
		work.then(settle, settle);
		const startedAt = process.cpuUsage();
		for (let turns = 1; !settled; turns += 1) {
			await new Promise(setImmediate);
			const isChecked = turns % TURNS_BETWEEN_CHECKS === 0;
			if (isChecked && process.cpuUsage(startedAt).user > 1000 * HANG_MS)
				throw new Error('The run does not end');
			if (this.inFlight > 0 && !isSilent()) continue;
			if (this.inFlight > 0 && this.lastDataAwaited !== this.started) await delay(LAST_DATA_MS);
			this.lastDataAwaited = this.started;
			if (!settled && isReady() && this.timers > 0) this.advance(this.nextIn);
		}
		return await work;
	}

	restore(): void {
		Object.assign(systemClock, this.real);
	}
}
