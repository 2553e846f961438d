import type { FixedWindow, TokenBucket } from './options';

export interface Overrun {
	/** The allowance that was exceeded, in requests. */
	limit: number;
	/** Until one request is allowed again. */
	waitMs: number;
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

	/** Takes one request of this key's allowance, or says by how much it is overrun. */
	take(key: string, now: number): Overrun | undefined {
		return 'burst' in this.rule
			? this.#fromBucket(this.rule, key, now)
			: this.#fromWindow(this.rule, key, now);
	}

	#fromBucket(rule: TokenBucket, key: string, now: number): Overrun | undefined {
		const bucket = this.#buckets.get(key) ?? { tokens: rule.burst, at: now };
		const refilled = bucket.tokens + ((now - bucket.at) / 1000) * rule.requestsPerSecond;
		const tokens = Math.min(rule.burst, refilled);
		// A rounding error of the refill must not cost a whole request.
		const allowed = tokens >= 1 - 1e-9;
		this.#buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
		if (allowed) return undefined;
		return { limit: rule.burst, waitMs: ((1 - tokens) / rule.requestsPerSecond) * 1000 };
	}

	#fromWindow(rule: FixedWindow, key: string, now: number): Overrun | undefined {
		const length = rule.windowSeconds * 1000;
		const current = this.#windows.get(key);
		const window = current && now < current.from + length ? current : { used: 0, from: now };
		this.#windows.set(key, window);
		if (window.used >= rule.requests) {
			return { limit: rule.requests, waitMs: window.from + length - now };
		}
		window.used += 1;
		return undefined;
	}
}
