import type { GatewayOptions } from '../../../gateway';
import { COMPLETION, jsonResponse } from '../jsonResponse';
import type { VirtualClock } from '../../clock/virtualClock';
import type { Rule } from './rules';

type Transport = NonNullable<GatewayOptions['transport']>;

export interface ZooRequest {
	kind: 'chat' | 'submit' | 'poll';
	model: string | undefined;
	/** Names the item. */
	user: string;
}

export interface ServiceOptions {
	random: () => number;
	/** The limit of a request; undefined: none. */
	ruleOf: (request: ZooRequest) => Rule | undefined;
	/** Average latency in milliseconds in each direction. */
	latencyMs: number;
	/** How much the latency varies: from 1 − this to 1 + this times the average. */
	jitter: number;
	/** How long the service works on a chat. */
	workMs: number;
	videoMs: number;
	status: 429 | 503;
	/** Whether a refusal says how long to wait. */
	saysRetryAfter: boolean;
	/** `X-RateLimit-Limit-Requests`. */
	announced: number | undefined;
}

/** A service with limits of any kind, on a virtual clock. */
export class ZooService {
	readonly received: Array<ZooRequest & { at: number; refused: boolean }> = [];
	private readonly videos = new Map<string, number>();

	constructor(
		private readonly clock: VirtualClock,
		private readonly options: ServiceOptions,
	) {}

	readonly transport: Transport = async ({ path, body, onWritten, whenGivenUp }) => {
		const { clock, options } = this;
		const stop = new AbortController();
		whenGivenUp(() => stop.abort());
		onWritten();
		await clock.sleep(this.vary(options.latencyMs), stop.signal);
		const request = describe(path, body);
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
		return jsonResponse(200, this.answer(request));
	};

	private answer({ kind, user }: ZooRequest): object {
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
		const { status, saysRetryAfter, announced } = this.options;
		return jsonResponse(
			status,
			{ code: 'refused', message: 'Slow down', data: null },
			{
				...(saysRetryAfter && { 'retry-after': `${Math.max(1, Math.ceil(pause / 1_000))}` }),
				...(announced !== undefined && { 'x-ratelimit-limit-requests': `${announced}` }),
			},
		);
	}

	private vary(average: number): number {
		const { random, jitter } = this.options;
		return average * (1 + jitter * (2 * random() - 1));
	}
}

function describe(path: string, body: string | undefined): ZooRequest {
	const { model, user = '' } = JSON.parse(body ?? '{}') as { model?: string; user?: string };
	if (path.endsWith('/chat/completions')) return { kind: 'chat', model, user };
	if (body !== undefined) return { kind: 'submit', model, user };
	return { kind: 'poll', model, user: path.split('/').at(-1) ?? '' };
}
