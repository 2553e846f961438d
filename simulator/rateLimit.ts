import type { FixedWindow, TokenBucket } from './options';

/** A request that the rate limit does not allow. */
export interface LimitExceeded {
	/** The requests that the limit allows. */
	requests: number;
	/** Until one request is allowed again. */
	retryAfterMs: number;
}

/** Counts requests per key against a token bucket or a fixed window. */
export class RateLimiter {
	readonly #buckets = new Map<string, { tokens: number; at: number }>();
	readonly #windows = new Map<string, { used: number; from: number }>();

	constructor(private readonly rule: TokenBucket | FixedWindow) {}

	clear(): void {
		this.#buckets.clear();
		this.#windows.clear();
	}

	/** Counts one request of this key, unless the limit is exceeded. */
	take(key: string, now: number): LimitExceeded | undefined {
		return 'burst' in this.rule
			? this.#fromBucket(this.rule, key, now)
			: this.#fromWindow(this.rule, key, now);
	}

	#fromBucket(rule: TokenBucket, key: string, now: number): LimitExceeded | undefined {
		const bucket = this.#buckets.get(key) ?? { tokens: rule.burst, at: now };
		const refilled = bucket.tokens + ((now - bucket.at) / 1000) * rule.requestsPerSecond;
		const tokens = Math.min(rule.burst, refilled);
		// A rounding error of the refill must not cost a whole request.
		const allowed = tokens >= 1 - 1e-9;
		this.#buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
		if (allowed) return undefined;
		return { requests: rule.burst, retryAfterMs: ((1 - tokens) / rule.requestsPerSecond) * 1000 };
	}

	#fromWindow(rule: FixedWindow, key: string, now: number): LimitExceeded | undefined {
		const length = rule.windowSeconds * 1000;
		const current = this.#windows.get(key);
		const window = current && now < current.from + length ? current : { used: 0, from: now };
		this.#windows.set(key, window);
		if (window.used >= rule.requests) {
			return { requests: rule.requests, retryAfterMs: window.from + length - now };
		}
		window.used += 1;
		return undefined;
	}
}
