import { type GatewayError, ServiceError } from '../errors/gatewayError';
import { statusOf } from '../errors/statuses';

/** Four retries last through a restart of a few seconds. */
const FIRST_BACKOFF_MS = 500;
/** Longer pauses notice the end of an outage late, shorter ones spend retries on it. */
const MAX_BACKOFF_MS = 30_000;
/** A workflow that hangs for hours is worse than one that fails and says when to retry. */
const MAX_PAUSE_MS = 300_000;
/** From this attempt on, each retry counts, since something is wrong with this request. */
const MAX_ATTEMPTS_UNCOUNTED = 100;
/** So many requests in a row are no coincidence: a request that is refused between them is too large, or one of noise. */
export const A_FEW = 4;
/** Pauses after which the service took nothing, or failures in a row, until one request at a time is sent and pauses grow. */
export const MAX_IN_VAIN = 2;

/** A failed attempt, with what is known of its request and of its scope. */
export interface FailedAttempt {
	error: GatewayError;
	/** What `afterFailure` decided. */
	mayBeSentAgain: boolean;
	maxRetries: number;
	/** Attempts of the request so far, with this one. */
	sent: number;
	/** Retries of the request so far that count. */
	retries: number;
	/** The service took another request of the scope since this one began to wait, or works on one from before the last pause. */
	othersTaken: boolean;
	/** Requests that the service took since it last refused this one; 0 if it has refused another one since. */
	takenInRow: number;
	scope: ScopeState;
}

/** What is known of a scope. */
export interface ScopeState {
	/** The service limits how many of its requests are in flight, rather than a rate. */
	readonly limitsInFlight: boolean;
	/** The service took requests before, and responded to none of the last ones. */
	readonly isAway: boolean;
	/** Pauses in a row after which the service took no request, although it took requests before. */
	readonly inVain: number;
	/** Milliseconds since the first refusal after the last request that the service took. */
	readonly refusesForMs: number;
	/** How many milliseconds the service refused all requests before it last took one again. */
	readonly lastRefusedForMs: number;
}

/** What the response to an attempt means. */
export interface Verdict {
	isRetried: boolean;
	/** Whether the retry counts towards Max Retries. */
	counts: boolean;
	/** What the other requests of the scope do. With `suspend`, those that wait fail until the pause is over. */
	scopeAction: 'continue' | 'wait' | 'suspend';
	/** Milliseconds until another attempt makes sense. */
	pauseMs: number;
}

/** Decides what a failed attempt means, row by row as the table in README.md. Pure, except for the jitter of a backoff. */
export function judge(attempt: FailedAttempt, random: () => number = Math.random): Verdict {
	const { error, retries, maxRetries, scope } = attempt;
	const pauseMs = pauseAfter(error, retries, random);
	const isRetried = retries < maxRetries;
	const alone: Verdict = { isRetried, counts: true, scopeAction: 'continue', pauseMs };
	const isRefused = isThrottled(error);

	if (isRefused && pauseMs > MAX_PAUSE_MS)
		return { ...alone, isRetried: false, scopeAction: 'suspend' };
	if (!attempt.mayBeSentAgain || pauseMs > MAX_PAUSE_MS) return { ...alone, isRetried: false };
	if (!isRefused && !scope.isAway) return alone;
	// The request is refused twice, and in between others are taken and none is refused.
	if (isRefused && attempt.takenInRow >= A_FEW && !scope.limitsInFlight)
		// The first request beyond a limit is refused like this, too, and taken when the others were taken again.
		return {
			...alone,
			pauseMs: Math.max(pauseMs, Math.min(MAX_PAUSE_MS, scope.lastRefusedForMs)),
		};
	if (scope.refusesForMs >= MAX_PAUSE_MS)
		return { isRetried: false, counts: true, scopeAction: 'suspend', pauseMs: MAX_PAUSE_MS };

	// The pauses of a scope grow until the service takes a request, whatever pause it asks for.
	const grown = scope.inVain >= MAX_IN_VAIN ? backoff(scope.inVain - 1, random) : 0;
	const all: Verdict = { ...alone, pauseMs: Math.max(pauseMs, grown), scopeAction: 'wait' };
	// A rate and a number in flight (429) have room again, overload and a quota may not.
	const hasRoomAgain = isRefused && error.told.readAs === 429 && attempt.othersTaken;
	const isUncounted = hasRoomAgain && attempt.sent < MAX_ATTEMPTS_UNCOUNTED;
	return isUncounted ? { ...all, isRetried: maxRetries > 0, counts: false } : all;
}

/** Whether the service refused a request because it receives too many: 429, or 503 unless the request may be accepted. */
export function isThrottled(error: GatewayError): error is ServiceError {
	// A late 503 page, after which a request may be billed, says as little about the others as a 504.
	return (
		error instanceof ServiceError &&
		!error.record.may_have_been_accepted &&
		statusOf(error.told.readAs).isThrottled === true
	);
}

/**
 * Milliseconds from an error to the next request: the pause that the service asks for, else exponential backoff.
 * @param attempt the number of retries so far
 */
export function pauseAfter(
	error: GatewayError,
	attempt: number,
	random: () => number = Math.random,
): number {
	const { retryAfterMs } = error;
	if (retryAfterMs === undefined) return backoff(attempt, random);
	// A shorter pause uses up all retries before anything has changed.
	return Math.max(retryAfterMs, FIRST_BACKOFF_MS / 2);
}

/**
 * Exponential backoff with jitter, so that clients that failed together do not retry together. The jitter takes off
 * at most half: the first retry comes after 250 to 500 ms.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
	return ((1 + random()) / 2) * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}
