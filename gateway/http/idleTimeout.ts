import { type Clock, systemClock } from '../clock';
import { CancelledError } from '../errors/gatewayError';
import { tooSlow } from '../errors/networkError';

/** A host that needs longer to connect is down. */
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Gateways send comments or spaces while a model thinks, so any byte restarts the time limit. Without a part of the answer
 * for this many time limits, a request has timed out.
 */
const MAX_LIMITS_WITHOUT_CONTENT = 4;

/** A body of which fewer bytes arrive in this time counts as silent: a byte now and then would keep a poll open for ever. */
const FLOW_BYTES = 64 * 1024;
const FLOW_MS = 60_000;

/** One for all requests: Node.js would make an error with its stack for each signal, in a fifth of a request's time. */
export const GIVEN_UP = new Error('The request was given up');

/**
 * An expired request is in the phase `content` if only bytes that keep the connection alive arrived, and in `flow` if too few
 * arrived.
 */
type Phase = 'connecting' | 'response' | 'body' | 'content' | 'flow';

/**
 * Gives a request up after `limitMs` of silence, or at once when the signal is aborted. Silence begins when the request is
 * written. To connect, a request has ten seconds, or `limitMs` if that is less.
 */
export class IdleTimeout {
	expired = false;
	/** Milliseconds of silence after which the request is given up. */
	private readonly limits: Record<Phase, number>;
	private isLastTurn = false;
	private stop = () => {};
	private lastProgress: number;
	private lastContent: number;
	/** When a minute ended in which enough arrived, and since when what arrived is counted. */
	private lastFlow: number;
	private flowSince: number;
	private flowBytes = 0;
	private stopTimer: () => void;
	private readonly giveUp = () => this.stop();

	/** @param responseMs within which the response must begin. Its body may be silent for a minute, however short this is */
	constructor(
		private readonly clock: Clock,
		limitMs: number,
		private readonly signal: AbortSignal | undefined,
		public phase: Phase = 'response',
		responseMs = Infinity,
	) {
		const body = Math.min(limitMs, Math.max(FLOW_MS, responseMs));
		this.limits = {
			connecting: Math.min(limitMs, CONNECT_TIMEOUT_MS),
			response: Math.min(limitMs, responseMs),
			body,
			content: MAX_LIMITS_WITHOUT_CONTENT * limitMs,
			flow: Math.max(FLOW_MS, body),
		};
		this.lastProgress = this.lastContent = this.lastFlow = this.flowSince = clock.now();
		this.stopTimer = clock.after(this.phaseLimitMs, () => this.check());
		signal?.addEventListener('abort', this.giveUp, { once: true });
	}

	/**
	 * `stop` runs when the work is given up, at once if it already is. There is only one: an
	 * AbortController for each request would cost more than its time limit.
	 */
	whenGivenUp(stop: () => void): void {
		this.stop = stop;
		if (this.expired || this.signal?.aborted) stop();
	}

	/** @returns milliseconds since the last progress of the phase before */
	enter(phase: Phase): number {
		const before = this.lastProgress;
		this.phase = phase;
		this.progress();
		return this.lastProgress - before;
	}

	/**
	 * Cheap, since it runs for every chunk: it only notes the time, and the timer checks it when it fires.
	 * @param isContent false for bytes that may only keep the connection alive
	 * @param bytes of a body that has to flow. Default: as many as that takes
	 */
	progress(isContent = true, bytes = Infinity): void {
		const now = this.clock.now();
		this.lastProgress = now;
		if (isContent) this.lastContent = now;
		this.flowBytes += bytes;
		if (this.flowBytes < FLOW_BYTES) return;
		if (bytes === Infinity || now - this.flowSince <= FLOW_MS) this.lastFlow = now;
		this.flowSince = now;
		this.flowBytes = 0;
	}

	end(): void {
		this.stopTimer();
		this.signal?.removeEventListener('abort', this.giveUp);
	}

	get phaseLimitMs(): number {
		return this.limits[this.phase];
	}

	private check(): void {
		const now = this.clock.now();
		const silences: ReadonlyArray<[Phase, since: number]> = [
			[this.phase, this.lastProgress],
			['content', this.lastContent],
			['flow', this.lastFlow],
		];
		const ends = silences.map(([phase, since]) => ({
			phase,
			left: since + this.limits[phase] - now,
		}));
		const { phase, left } = ends.reduce((first, end) => (end.left < first.left ? end : first));
		// A busy process may not have read what has arrived: it gets one turn of the event loop to do so.
		const isOver = left <= 0;
		if (!isOver || !this.isLastTurn) {
			this.isLastTurn = isOver;
			this.stopTimer = this.clock.after(Math.max(left, 0), () => this.check());
			return;
		}
		this.phase = phase;
		this.expired = true;
		this.giveUp();
	}
}

/** A request that runs `close` when it is given up. */
interface GivenUp {
	whenGivenUp(close: () => void): void;
}

/** Settles as `pending` does, or rejects when the work is given up: nothing ends a DNS lookup of n8n's helper or SSRF protection. */
export function unlessGivenUp<Result>(
	work: GivenUp,
	pending: Promise<Result>,
	close = () => {},
): Promise<Result> {
	return new Promise((resolve, reject) => {
		work.whenGivenUp(() => {
			close();
			reject(GIVEN_UP);
		});
		pending.then(resolve, reject);
	});
}

/**
 * Limits the time of work in n8n's main process, which nobody can stop: a service that sends a byte now and then would keep
 * a request open forever.
 * @throws NoResponseError when the time is over
 */
export async function withinTotalTime<Result>(
	ms: number,
	work: (signal: AbortSignal) => Promise<Result>,
	clock: Clock = systemClock,
): Promise<Result> {
	const controller = new AbortController();
	const stop = clock.after(ms, () => controller.abort());
	try {
		return await work(controller.signal).catch((error: unknown) => {
			throw error instanceof CancelledError ? tooSlow(ms) : error;
		});
	} finally {
		stop();
	}
}
