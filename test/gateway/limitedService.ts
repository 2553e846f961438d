import { Readable } from 'node:stream';
import { type GatewayOptions, StreamedBody } from '../../gateway';
import { RateLimiter } from '../../simulator/rateLimit';
import type { SimulatorOptions } from '../../simulator';
import type { VirtualClock } from './virtualClock';

type Transport = NonNullable<GatewayOptions['transport']>;

interface Refusal {
	status: 429 | 503;
	/** What the service asks to wait; without it the service does not say. */
	seconds?: number;
}

interface LimitedServiceOptions {
	clock: VirtualClock;
	limit: NonNullable<SimulatorOptions['rateLimit']>;
	/** What `X-RateLimit-Limit-Requests` says; without it no rate-limit header but Retry-After is sent. */
	announced?: number;
	/** Milliseconds on the way there, and again back: this on average, from none to twice as much. */
	latencyMs?: number;
	/** Refuses a request whatever the limit. */
	refuses?: (user: string) => Refusal | undefined;
	/** What requests beyond the limit get; by default a 429 that asks for the whole seconds until the next is taken. */
	overrun?: Refusal;
}

/** A chat service behind a rate limit, in a clock's time. Knows each request by its `user` field. */
export class LimitedService {
	readonly received: Array<{ at: number; user: string; key: string; refused: boolean }> = [];
	private readonly limiter: RateLimiter;
	private seed = 1;

	constructor(private readonly options: LimitedServiceOptions) {
		this.limiter = new RateLimiter(options.limit);
	}

	readonly transport: Transport = async ({ body = '', headers, whenGivenUp }) => {
		const { clock, announced } = this.options;
		const stop = new AbortController();
		whenGivenUp(() => stop.abort());
		await clock.sleep(this.latency(), stop.signal);
		const key = String(headers.authorization);
		const { user } = JSON.parse(body) as { user: string };
		const refusal = this.options.refuses?.(user) ?? this.overrun(key);
		this.received.push({ at: clock.now(), user, key, refused: refusal !== undefined });
		await clock.sleep(this.latency(), stop.signal);
		if (refusal === undefined) return answer(200, {}, COMPLETION);
		const { status, seconds } = refusal;
		return answer(
			status,
			{
				...(seconds !== undefined && { 'retry-after': String(seconds) }),
				...(announced !== undefined && { 'x-ratelimit-limit-requests': String(announced) }),
			},
			{ code: 'refused', message: 'Slow down', data: null },
		);
	};

	private overrun(key: string): Refusal | undefined {
		const { clock, overrun } = this.options;
		const exceeded = this.limiter.take(key, clock.now());
		if (exceeded === undefined) return undefined;
		return overrun ?? { status: 429, seconds: Math.max(1, Math.ceil(exceeded.waitMs / 1000)) };
	}

	/** The most often that one request was refused. */
	get mostRefusals(): number {
		const refusals = new Map<string, number>();
		for (const { user, refused } of this.received) {
			if (refused) refusals.set(user, (refusals.get(user) ?? 0) + 1);
		}
		return Math.max(0, ...refusals.values());
	}

	/** The same sequence in every run: a linear congruential generator (Numerical Recipes). */
	private latency(): number {
		this.seed = (this.seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return (this.options.latencyMs ?? 2) * 2 * (this.seed / 2 ** 32);
	}
}

function answer(status: number, headers: Record<string, string>, content: object) {
	return {
		status,
		headers: { 'content-type': 'application/json', ...headers },
		body: new StreamedBody(Readable.from([Buffer.from(JSON.stringify(content))])),
	};
}

const COMPLETION = {
	id: 'chat-1',
	object: 'chat.completion',
	created: 1,
	model: 'heron-chat',
	choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
};
