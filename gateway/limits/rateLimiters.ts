import type { Clock } from '../clock';
import { sha256 } from '../hash';
import { RateLimiter } from './rateLimiter';
import { SharedLimits } from './sharedLimits';
import { SharedPauses } from './sharedPauses';

/** Keys kept in memory, and limiters of one key; only a process with ever new keys or models reaches these. */
const MAX_KEYS = 1_000;
const MAX_SCOPES = 100;

/**
 * What a service may limit by itself: the interface document does not say whether a limit is of a key, an endpoint or a
 * model. So requests for one model do not wait for another, polls for neither, and the catalogue for none.
 */
export interface Scope {
	/** The name of an endpoint; `polls` are not held back by a long pause. */
	endpoint: string;
	/** If its requests are for one. */
	model?: string;
}

/** The rate limiters of a key, one for each scope. */
export type LimiterOf = (scope: Scope) => RateLimiter;

const keys = new Map<string, KeyLimiters>();

/** The process-wide limiters of this service and key, shared by all nodes and executions. */
export function rateLimitersOf(baseUrl: string, apiKey: string, clock: Clock): LimiterOf {
	const name = sha256(`${baseUrl}\n${apiKey}`);
	const known = keys.get(name) ?? new KeyLimiters(clock);
	if (!keys.has(name) && keys.size >= MAX_KEYS) {
		for (const [idle, limiters] of keys) if (limiters.isIdle()) keys.delete(idle);
	}
	keys.set(name, known);
	return (scope) => known.of(scope);
}

/** Limiters that nobody else uses. */
export function ownRateLimiters(clock: Clock): LimiterOf {
	const limiters = new KeyLimiters(clock);
	return (scope) => limiters.of(scope);
}

/** The limiters of one key. */
class KeyLimiters {
	private readonly limiters = new Map<string, RateLimiter>();
	private readonly limits: SharedLimits;
	private readonly pauses = new SharedPauses();

	constructor(private readonly clock: Clock) {
		this.limits = new SharedLimits(clock);
	}

	of(scope: Scope): RateLimiter {
		const { limiters } = this;
		const name = 'model' in scope ? `${scope.endpoint} ${scope.model}` : scope.endpoint;
		const known = limiters.get(name);
		if (known !== undefined) return known;
		if (limiters.size >= MAX_SCOPES) {
			for (const [idle, limiter] of limiters) {
				if (!limiter.isIdle()) continue;
				limiters.delete(idle);
				this.limits.forget(limiter);
			}
		}
		const limiter = new RateLimiter(
			this.clock,
			this.limits,
			this.pauses,
			scope.endpoint !== 'polls',
		);
		limiters.set(name, limiter);
		return limiter;
	}

	isIdle(): boolean {
		return [...this.limiters.values()].every((limiter) => limiter.isIdle());
	}
}
