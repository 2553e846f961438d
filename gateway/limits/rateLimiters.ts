import type { Clock } from '../clock';
import { sha256 } from '../hash';
import { RateLimiter } from './rateLimiter';

/** Limiters kept in memory; only a process with ever new keys or models reaches this. */
const MAX_LIMITERS = 1_000;

/**
 * What a service may limit by itself: the interface document does not say whether a limit is of a key, an endpoint or a
 * model. So requests for one model do not wait for another, polls for neither, and the catalogue for none.
 */
export type Scope =
	| { endpoint: 'chat' | 'video'; model: string }
	| { endpoint: 'polls' | 'models' };

/** The rate limiters of a key, one for each scope. */
export type LimiterOf = (scope: Scope) => RateLimiter;

const limiters = new Map<string, RateLimiter>();

/** The process-wide limiters of this service and key, shared by all nodes and executions. */
export function rateLimitersOf(baseUrl: string, apiKey: string, clock: Clock): LimiterOf {
	return limitersIn(limiters, sha256(`${baseUrl}\n${apiKey}`), clock);
}

/** Limiters that nobody else uses. */
export function ownRateLimiters(clock: Clock): LimiterOf {
	return limitersIn(new Map(), '', clock);
}

function limitersIn(known: Map<string, RateLimiter>, owner: string, clock: Clock): LimiterOf {
	return (scope) => {
		const isPoll = scope.endpoint === 'polls';
		const name = 'model' in scope ? `${scope.endpoint} ${scope.model}` : scope.endpoint;
		const key = `${owner} ${name}`;
		const limiter = known.get(key) ?? new RateLimiter(clock, !isPoll);
		if (!known.has(key)) {
			if (known.size >= MAX_LIMITERS) dropIdle(known);
			known.set(key, limiter);
		}
		return limiter;
	};
}

function dropIdle(known: Map<string, RateLimiter>): void {
	for (const [key, limiter] of known) if (limiter.isIdle()) known.delete(key);
}
