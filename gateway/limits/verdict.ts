import {
	type GatewayError,
	MalformedResponseError,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { isQuotaCode, type NodeCode, statusOf } from '../errors/statuses';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** A workflow that hangs for hours is worse than one that fails and says when to retry. */
const MAX_PAUSE_MS = 300_000;
/** From this attempt on, each retry counts: something is wrong with this request. */
const MAX_ATTEMPTS_UNCOUNTED = 100;
/** So many requests in a row are no chance. */
export const A_FEW = 4;
/** After so many pauses after which nothing was taken, or failures in a row, one request at a time asks, and the pauses grow. */
export const MAX_IN_VAIN = 2;

/** An attempt that failed, and what is known of its request and of its scope. */
export interface FailedAttempt {
	error: GatewayError;
	isBillable: boolean;
	retriesOtherServers: boolean;
	maxRetries: number;
	/** Attempts so far, this one included. */
	sent: number;
	/** Retries so far that count. */
	retries: number;
	/** The service took others of the scope since this one began to wait, or works on one that was sent before the last pause. */
	othersTaken: boolean;
	/** Others that it took in a row since it refused this one before. */
	takenInRow: number;
	scope: ScopeState;
}

/** What is known of a scope. */
export interface ScopeState {
	/** The service limits how many of its requests are in flight, rather than a rate. */
	readonly limitsInFlight: boolean;
	/** The service responded before, and to none of the last requests. */
	readonly isAway: boolean;
	/** Pauses in a row after which the service took nothing, although it took requests before. */
	readonly inVain: number;
	/** Milliseconds since the service refused the first request after the last one that it took. */
	readonly refusesForMs: number;
	/** For how many milliseconds it had refused requests when it took one again. */
	readonly lastRefusedForMs: number;
}

/** What the response to an attempt means. */
export interface Verdict {
	isRetried: boolean;
	/** Whether the retry counts towards Max Retries. */
	counts: boolean;
	/** What the other requests of the scope do; `suspend`: those that wait fail, for as long as the pause. */
	scopeAction: 'continue' | 'wait' | 'suspend';
	/** Milliseconds until another attempt makes sense. */
	pauseMs: number;
}

/** Decides what a failed attempt means, row by row as the table in README.md. Pure, except for the jitter of a backoff. */
export function judge(attempt: FailedAttempt, random: () => number = Math.random): Verdict {
	const { error, retries, maxRetries, scope } = attempt;
	const pauseMs = pauseAfter(error, retries, random);
	const alone = { isRetried: retries < maxRetries, counts: true, pauseMs } as const;
	const isRefused = isRefusal(error);

	if (isRefused && pauseMs > MAX_PAUSE_MS)
		return { ...alone, isRetried: false, scopeAction: 'suspend' };
	if (!mayComeRight(attempt) || pauseMs > MAX_PAUSE_MS)
		return { ...alone, isRetried: false, scopeAction: 'continue' };
	if (!isRefused && !scope.isAway) return { ...alone, scopeAction: 'continue' };
	// It is refused twice, and in between others are taken and none is refused.
	if (isRefused && attempt.takenInRow >= A_FEW && !scope.limitsInFlight)
		// It may only be the first one beyond a limit: then it is taken when the others were.
		return {
			...alone,
			scopeAction: 'continue',
			pauseMs: Math.max(pauseMs, Math.min(MAX_PAUSE_MS, scope.lastRefusedForMs)),
		};
	if (scope.refusesForMs >= MAX_PAUSE_MS)
		return { isRetried: false, counts: true, scopeAction: 'suspend', pauseMs: MAX_PAUSE_MS };

	// The pauses of a scope grow until something is taken, whatever the service asks for.
	const grown = scope.inVain >= MAX_IN_VAIN ? backoff(scope.inVain - 1, random) : 0;
	const all = { pauseMs: Math.max(pauseMs, grown), scopeAction: 'wait' } as const;
	if (isUncounted(attempt)) return { ...all, isRetried: maxRetries > 0, counts: false };
	return { ...all, isRetried: retries < maxRetries, counts: true };
}

/** The service took none of the request because of all that it receives: 429, or 503 unless it may have been accepted. */
export function isRefusal(error: GatewayError): error is ServiceError {
	// A late 503 page, after which a request may be billed, says as little about the others as a 504.
	return (
		error instanceof ServiceError &&
		!error.mayHaveBeenAccepted &&
		statusOf(error.status).isThrottled === true
	);
}

/** A rate or a number in flight (429) has room again; overload (503) may not end, and a quota lasts. */
function isUncounted({ error, othersTaken, sent }: FailedAttempt): boolean {
	const hasRoomAgain = isRefusal(error) && error.status === 429 && !isQuotaCode(error.code);
	return hasRoomAgain && othersTaken && sent < MAX_ATTEMPTS_UNCOUNTED;
}

/**
 * Milliseconds to wait after an error before the next request: what the service asks for, else exponential backoff.
 * Decides this for one request and for all of a key.
 * @param attempt retries already made
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
 * at most half: the first retry comes after 250 to 500 ms, never at once.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
	return ((1 + random()) / 2) * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}

/** Whether the same request may be sent again: not if it may have been billed; a GET always. */
function mayComeRight({ error, isBillable, retriesOtherServers }: FailedAttempt): boolean {
	if (error instanceof ServiceError && error.forbidsRetry) return false;
	if (retriesOtherServers && isOfOtherServer(error)) return true;
	if (isBillable && error.mayHaveBeenAccepted) return false;
	if (error instanceof ServiceError) return statusOf(error.status).isTransient ?? false;
	return error instanceof NoResponseError && error.transient;
}

/** Codes of an HTTP proxy that refused to pass a request on. */
const PROXY_REFUSALS: string[] = ['proxy_login', 'proxy_refused'] satisfies NodeCode[];

/**
 * Whether a failure does not come from the service: a redirect, a page, the refusal of a proxy, whatever its status, unless
 * that is transient anyway. A proxy that is being redeployed answers like this for a while, and a wrong URL always does.
 */
export function isOfOtherServer(error: GatewayError): boolean {
	if (error instanceof ServiceError)
		return !error.isOfService && !statusOf(error.status).isTransient;
	if (error instanceof NoResponseError) return PROXY_REFUSALS.includes(error.code);
	return error instanceof MalformedResponseError;
}
