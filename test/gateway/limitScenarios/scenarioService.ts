import type { GatewayOptions } from '../../../gateway';
import { neverSent } from '../../../gateway/errors/networkError';
import { COMPLETION, responseOf } from '../inMemory';
import type { VirtualClock } from '../../clock/virtualClock';
import type { Rule } from './rules';

type Transport = NonNullable<GatewayOptions['transport']>;

export interface LimitedRequest {
	kind: 'chat' | 'submit' | 'poll';
	model: string | undefined;
	/** Names the item. */
	user: string;
}

export interface ServiceOptions {
	random: () => number;
	/** The limit of a request; undefined: none. */
	ruleOf: (request: LimitedRequest) => Rule | undefined;
	/** Average latency in milliseconds in each direction. */
	latencyMs: number;
	/** How much the latency varies: from 1 − this to 1 + this times the average. */
	jitter: number;
	/** How long the service works on a chat. */
	workMs: number;
	videoMs: number;
	status: 429 | 503;
	/** Whether a refusal says how long to wait; a number: always so many seconds. */
	saysRetryAfter: boolean | number;
	outage?: Outage;
}

/** A time in which the service responds to no request. */
export interface Outage {
	/** Seconds after the start. */
	from: number;
	seconds: number;
	how: 'no connection' | { status: 502 | 503; retryAfter?: number };
}

/** A service with limits of any kind, on a virtual clock. */
export class ScenarioService {
	readonly received: Array<LimitedRequest & { at: number; refused: boolean }> = [];
	private readonly videos = new Map<string, number>();
	private readonly start: number;

	constructor(
		private readonly clock: VirtualClock,
		private readonly options: ServiceOptions,
	) {
		this.start = clock.now();
	}

	readonly transport: Transport = async ({ path, body, onWritten, whenGivenUp }) => {
		const { clock, options } = this;
		const stop = new AbortController();
		whenGivenUp(() => stop.abort());
		const request = describe(path, body);
		const away = this.awayNow();
		if (away === 'no connection') {
			this.received.push({ ...request, at: clock.now(), refused: true });
			throw neverSent(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
		}
		onWritten();
		await clock.sleep(this.vary(options.latencyMs), stop.signal);
		if (away !== undefined) {
			this.received.push({ ...request, at: clock.now(), refused: true });
			const { status, retryAfter } = away;
			const headers = retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` };
			return responseOf(status, { code: 'away', message: 'Maintenance', data: null }, headers);
		}
		const rule = options.ruleOf(request);
		const pause = rule?.take(clock.now()) ?? 0;
		this.received.push({ ...request, at: clock.now(), refused: pause > 0 });
		if (pause > 0) {
			await clock.sleep(this.vary(options.latencyMs), stop.signal);
			return this.refusal(pause);
		}
		if (request.kind === 'chat') await clock.sleep(this.vary(options.workMs), stop.signal);
		rule?.done?.();
		await clock.sleep(this.vary(options.latencyMs), stop.signal);
		return responseOf(200, this.answer(request));
	};

	private awayNow(): Outage['how'] | undefined {
		const { outage } = this.options;
		if (outage === undefined) return undefined;
		const second = (this.clock.now() - this.start) / 1_000;
		return second >= outage.from && second < outage.from + outage.seconds ? outage.how : undefined;
	}

	private answer({ kind, user }: LimitedRequest): object {
		if (kind === 'chat') return COMPLETION;
		if (kind === 'submit') {
			const id = `task-${this.videos.size}`;
			this.videos.set(id, this.clock.now());
			return { id: 'request', model: 'video', data: [{ id, status: 'processing' }] };
		}
		const age = this.clock.now() - (this.videos.get(user) ?? -Infinity);
		const isDone = age >= this.options.videoMs;
		return {
			id: user,
			status: isDone ? 'completed' : 'processing',
			progress: isDone ? 100 : 10,
			url: isDone ? 'http://files.test/video.mp4' : null,
		};
	}

	private refusal(pause: number) {
		const { status, saysRetryAfter } = this.options;
		const seconds =
			typeof saysRetryAfter === 'number' ? saysRetryAfter : Math.max(1, Math.ceil(pause / 1_000));
		return responseOf(
			status,
			{ code: 'refused', message: 'Slow down', data: null },
			{
				...(saysRetryAfter !== false && { 'retry-after': `${seconds}` }),
			},
		);
	}

	private vary(average: number): number {
		const { random, jitter } = this.options;
		return average * (1 + jitter * (2 * random() - 1));
	}
}

function describe(path: string, body: string | undefined): LimitedRequest {
	const { model, user = '' } = JSON.parse(body ?? '{}') as { model?: string; user?: string };
	if (path.endsWith('/chat/completions')) return { kind: 'chat', model, user };
	if (body !== undefined) return { kind: 'submit', model, user };
	return { kind: 'poll', model, user: path.split('/').at(-1) ?? '' };
}
