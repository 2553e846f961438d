import type { GatewayOptions } from '../../gateway';
import { limitOf, RateLimiter } from '../../simulator/rateLimit';
import type { SimulatorOptions } from '../../simulator';
import { COMPLETION, jsonResponse } from './jsonResponse';
import type { VirtualClock } from '../clock/virtualClock';

type Transport = NonNullable<GatewayOptions['transport']>;

interface Rejection {
	status: 429 | 503;
	/** Retry-After in seconds. Default: no such header. */
	seconds?: number;
}

interface LimitedServiceOptions {
	clock: VirtualClock;
	limit: NonNullable<SimulatorOptions['rateLimit']>;
	/** Value of `X-RateLimit-Limit-Requests`. Default: no rate limit header but Retry-After. */
	announced?: number;
	/** Average latency in milliseconds in each direction. It varies from 0 to twice as much. */
	latencyMs?: number;
	/** Refuses a request, whatever the limit. */
	refuses?: (user: string) => Rejection | undefined;
}

/** A chat service with a rate limit, on a virtual clock. It identifies each request by its `user` field. */
export class LimitedService {
	readonly received: Array<{ at: number; user: string; key: string; refused: boolean }> = [];
	private readonly limiter: RateLimiter;
	private seed = 1;

	constructor(private readonly options: LimitedServiceOptions) {
		// The same object: tests change the limit on the way.
		this.limiter = new RateLimiter([Object.assign(options.limit, limitOf(options.limit))]);
	}

	readonly transport: Transport = async ({ body = '', headers, onWritten, whenGivenUp }) => {
		const { clock, announced } = this.options;
		const stop = new AbortController();
		whenGivenUp(() => stop.abort());
		onWritten();
		await clock.sleep(this.latency(), stop.signal);
		const key = String(headers.authorization);
		const { user } = JSON.parse(body) as { user: string };
		const rejection = this.options.refuses?.(user) ?? this.overLimit(key);
		this.received.push({ at: clock.now(), user, key, refused: rejection !== undefined });
		await clock.sleep(this.latency(), stop.signal);
		if (rejection === undefined) return jsonResponse(200, COMPLETION);
		const { status, seconds } = rejection;
		return jsonResponse(
			status,
			{ code: 'refused', message: 'Slow down', data: null },
			{
				...(seconds !== undefined && { 'retry-after': String(seconds) }),
				...(announced !== undefined && { 'x-ratelimit-limit-requests': String(announced) }),
			},
		);
	};

	/** Beyond the limit: a 429 with the whole seconds until the next request is accepted. */
	private overLimit(key: string): Rejection | undefined {
		const request = { key, endpoint: 'chat', model: '' } as const;
		const exceeded = this.limiter.take(request, this.options.clock.now());
		if (exceeded === undefined) return undefined;
		return { status: 429, seconds: Math.max(1, Math.ceil(exceeded.retryAfterMs / 1000)) };
	}

	/** How often the most refused request was refused. */
	get mostRefusals(): number {
		const refusals = new Map<string, number>();
		for (const { user, refused } of this.received) {
			if (refused) refusals.set(user, (refusals.get(user) ?? 0) + 1);
		}
		return Math.max(0, ...refusals.values());
	}

	/** Pseudo-random, the same in every run: a linear congruential generator (Numerical Recipes). */
	private latency(): number {
		this.seed = (this.seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return (this.options.latencyMs ?? 2) * 2 * (this.seed / 2 ** 32);
	}
}
