import type { Endpoint } from './endpoints';

/** A bucket of `burst` requests, refilled at a constant rate. */
export interface TokenBucket {
	requestsPerSecond: number;
	burst: number;
}

/** A number of requests in each window, which begins with its first request. */
export interface FixedWindow {
	requests: number;
	windowSeconds: number;
}

export type LimitRule =
	| ({ kind: 'bucket' } & TokenBucket)
	| ({ kind: 'fixedWindow' } & FixedWindow)
	/** A number of requests in any period of this length. */
	| ({ kind: 'slidingWindow' } & FixedWindow)
	/** A number of requests that have no complete response yet. */
	| { kind: 'inFlight'; requests: number }
	/** A number of chat tokens in each window; the request that exceeds it is still accepted. */
	| { kind: 'tokens'; tokens: number; windowSeconds: number };

export type Limit = LimitRule & {
	/** What has an allowance of its own: each key (default), each endpoint of a key, each model of a key. */
	scope?: 'key' | 'endpoint' | 'model' | undefined;
	/** Only these endpoints, only these models; default all. */
	endpoints?: readonly Endpoint[] | undefined;
	models?: readonly string[] | undefined;
	/** In force only between these times, in seconds since the start of the simulator. */
	fromSeconds?: number | undefined;
	untilSeconds?: number | undefined;
	/** The seconds that a refusal asks for; default: what the limit needs. */
	retryAfter?: number | undefined;
	/** How it asks for them: `retry_after` and Retry-After (default), the reset, or not at all. */
	announces?: 'seconds' | 'reset' | 'nothing' | undefined;
};

/** What a limit counts of a request. */
export interface LimitedRequest {
	key: string;
	endpoint: Endpoint;
	model: string;
}

/** A request that a limit does not allow. */
export interface LimitExceeded {
	limit: Limit;
	/** The requests (or tokens) that the limit allows. */
	requests: number;
	/** Until one request is allowed again, if the limit knows. */
	retryAfterMs: number;
}

/** An allowance, and what was used of it. */
interface Allowance {
	/** Milliseconds until a request is allowed; 0 if it is. */
	wait(now: number): number;
	take(now: number): void;
	/** The request that was taken has its response. */
	finish?(tokens: number): void;
}

/** Of a limit without a time: a client can only try again. */
const UNKNOWN_WAIT_MS = 1000;

type RuleOf<Kind extends LimitRule['kind']> = Extract<LimitRule, { kind: Kind }>;

// The rules are read at each request: a test may change them on the way.
const ALLOWANCES: { [Kind in LimitRule['kind']]: (rule: RuleOf<Kind>) => Allowance } = {
	bucket: (rule) => {
		let left = rule.burst;
		let at = -Infinity;
		const refilled = (now: number) =>
			Math.min(rule.burst, left + ((now - at) / 1000) * rule.requestsPerSecond);
		return {
			// A rounding error of the refill must not cost a whole request.
			wait: (now) =>
				refilled(now) >= 1 - 1e-9 ? 0 : ((1 - refilled(now)) / rule.requestsPerSecond) * 1000,
			take: (now) => {
				left = refilled(now) - 1;
				at = now;
			},
		};
	},
	fixedWindow: (rule) => {
		const window = new Window(rule);
		return {
			wait: (now) => window.wait(now, rule.requests),
			take: (now) => window.add(now, 1),
		};
	},
	slidingWindow: (rule) => {
		let taken: number[] = [];
		return {
			wait: (now) => {
				const length = rule.windowSeconds * 1000;
				taken = taken.filter((at) => at + length > now);
				const leaves = taken.at(-rule.requests);
				return leaves === undefined ? 0 : leaves + length - now;
			},
			take: (now) => void taken.push(now),
		};
	},
	inFlight: (rule) => {
		let open = 0;
		return {
			wait: () => (open < rule.requests ? 0 : UNKNOWN_WAIT_MS),
			take: () => void (open += 1),
			finish: () => void (open -= 1),
		};
	},
	tokens: (rule) => {
		const window = new Window(rule);
		return {
			wait: (now) => window.wait(now, rule.tokens),
			take: (now) => window.add(now, 0),
			finish: (tokens) => window.charge(tokens),
		};
	},
};

/** A window begins with its first request. */
class Window {
	private used = 0;
	private from = -Infinity;

	constructor(private readonly rule: { windowSeconds: number }) {}

	wait(now: number, amount: number): number {
		const end = this.from + this.rule.windowSeconds * 1000;
		return now < end && this.used >= amount ? end - now : 0;
	}

	add(now: number, cost: number): void {
		if (now >= this.from + this.rule.windowSeconds * 1000) {
			this.used = 0;
			this.from = now;
		}
		this.used += cost;
	}

	charge(cost: number): void {
		this.used += cost;
	}
}

function allowanceOf<Kind extends LimitRule['kind']>(rule: RuleOf<Kind> & { kind: Kind }) {
	const open: (rule: RuleOf<Kind>) => Allowance = ALLOWANCES[rule.kind];
	return open(rule);
}

const SCOPES: Record<NonNullable<Limit['scope']>, (request: LimitedRequest) => string> = {
	key: ({ key }) => key,
	// Both kinds of chats have one URL.
	endpoint: ({ key, endpoint }) => `${key} ${endpoint.replace('Stream', '')}`,
	model: ({ key, model }) => `${key} ${model}`,
};

/** Counts requests against a list of limits. */
export class RateLimiter {
	readonly #allowances = new Map<string, Allowance>();

	constructor(
		private readonly limits: readonly Limit[],
		private readonly startedAt = 0,
	) {}

	clear(): void {
		this.#allowances.clear();
	}

	/** Counts one request, unless a limit is exceeded; then the one with the longest wait. */
	take(request: LimitedRequest, now: number): LimitExceeded | undefined {
		const relevant = this.#relevant(request, now);
		const waits = relevant.map(({ limit, allowance }) => ({ limit, ms: allowance.wait(now) }));
		const longest = waits.reduce((one, other) => (other.ms > one.ms ? other : one), {
			limit: undefined as Limit | undefined,
			ms: 0,
		});
		if (longest.limit === undefined) {
			for (const { allowance } of relevant) allowance.take(now);
			return undefined;
		}
		return { limit: longest.limit, requests: sizeOf(longest.limit), retryAfterMs: longest.ms };
	}

	/** The response to a counted request is complete. */
	finish(request: LimitedRequest, takenAt: number, tokens: number): void {
		for (const { allowance } of this.#relevant(request, takenAt)) allowance.finish?.(tokens);
	}

	#relevant(request: LimitedRequest, now: number) {
		const seconds = (now - this.startedAt) / 1000;
		return this.limits.flatMap((limit, index) => {
			const { endpoints, models, fromSeconds = -Infinity, untilSeconds = Infinity } = limit;
			if (seconds < fromSeconds || seconds >= untilSeconds) return [];
			if (endpoints?.includes(request.endpoint) === false) return [];
			if (models?.includes(request.model) === false) return [];
			const name = `${index} ${SCOPES[limit.scope ?? 'key'](request)}`;
			const allowance = this.#allowances.get(name) ?? allowanceOf(limit);
			this.#allowances.set(name, allowance);
			return [{ limit, allowance }];
		});
	}
}

function sizeOf(limit: Limit): number {
	if (limit.kind === 'bucket') return limit.burst;
	return limit.kind === 'tokens' ? limit.tokens : limit.requests;
}

/** A limit of each key. */
export function limitOf(rule: TokenBucket | FixedWindow): Limit {
	return 'burst' in rule ? { kind: 'bucket', ...rule } : { kind: 'fixedWindow', ...rule };
}
