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
/** How often a refusal does not count as a retry because the service takes other requests of the scope. */
const MAX_EXCUSED = 100;
/** So many requests in a row are no chance. */
export const A_FEW = 4;
/** After so many pauses after which nothing was taken, or failures in a row, one request at a time asks, and the pauses grow. */
export const MAX_IN_VAIN = 2;

/** An attempt that failed, and what is known of its request and of its scope. */
export interface FailedAttempt {
	error: GatewayError;
	isBillable: boolean;
	retriesForeignAnswers: boolean;
	/** 0 if the one who asks no longer wants the result. */
	maxRetries: number;
	/** Retries so far that count, and that do not. */
	retries: number;
	excused: number;
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
	/** The service refused the request because of all that it receives (429, 503). */
	isRefused: boolean;
	/** What the others of the scope do. When they fail, it is suspended for as long as the pause. */
	others: 'continue' | 'wait' | 'fail';
	/** Milliseconds until another attempt makes sense. */
	pauseMs: number;
}

/** Decides what a failed attempt means. Pure, except for the jitter of a backoff. */
export function judge(attempt: FailedAttempt, random: () => number = Math.random): Verdict {
	const { error, retries, scope, maxRetries } = attempt;
	// What may have been accepted was not refused: a late 503 page says as little about the others as a 504.
	const isRefusal = !error.mayHaveBeenAccepted && error instanceof ServiceError;
	const refusal = isRefusal && statusOf(error.status).isThrottled ? error : undefined;
	const isRefused = refusal !== undefined;
	// It is refused twice, and in between others are taken and none is refused.
	const isSingledOut = isRefused && !scope.limitsInFlight && attempt.takenInRow >= A_FEW;
	const forbidsRetry = error instanceof ServiceError && error.forbidsRetry;
	const mayComeRight =
		!forbidsRetry &&
		(isRetryable(error, attempt.isBillable) ||
			(attempt.retriesForeignAnswers && isForeignAnswer(error)));
	const holdsScope = isRefused ? !isSingledOut && !forbidsRetry : scope.isAway && mayComeRight;
	const isOver = holdsScope && scope.refusesForMs >= MAX_PAUSE_MS;
	// The pauses of a scope grow until something is taken, whatever the service asks for.
	const asked = pauseAfter(error, retries, random);
	const grown = holdsScope && scope.inVain >= MAX_IN_VAIN ? backoff(scope.inVain - 1, random) : 0;
	// It may only be the first one beyond a limit: then it is taken when the others were.
	const alone = isSingledOut ? Math.min(MAX_PAUSE_MS, scope.lastRefusedForMs) : 0;
	const isTooLong = isOver || asked > MAX_PAUSE_MS;
	// A rate or a number in flight (429) has room again; overload (503) may not end, and a quota lasts.
	const mayPass = refusal?.status === 429 && !isQuotaCode(refusal.code);
	const isExcused =
		mayPass &&
		!isSingledOut &&
		attempt.othersTaken &&
		attempt.excused < MAX_EXCUSED &&
		maxRetries > 0;
	return {
		isRetried: mayComeRight && !isTooLong && (retries < maxRetries || isExcused),
		counts: !isExcused,
		isRefused,
		others: isTooLong && (isRefused || holdsScope) ? 'fail' : holdsScope ? 'wait' : 'continue',
		pauseMs: Math.max(asked, grown, alone, isOver ? MAX_PAUSE_MS : 0),
	};
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
function isRetryable(error: GatewayError, paid: boolean): boolean {
	if (paid && error.mayHaveBeenAccepted) return false;
	if (error instanceof ServiceError) return statusOf(error.status).isTransient ?? false;
	return error instanceof NoResponseError && error.transient;
}

/** Codes of an HTTP proxy that refused to pass a request on. */
const PROXY_REFUSALS: string[] = ['proxy_login', 'proxy_refused'] satisfies NodeCode[];

/**
 * Whether a failure does not come from the service: a redirect, a page, the refusal of a proxy, whatever its status, unless
 * that is transient anyway. A proxy that is being redeployed answers like this for a while, and a wrong URL always does.
 */
export function isForeignAnswer(error: GatewayError): boolean {
	if (error instanceof ServiceError)
		return !error.isOfService && !statusOf(error.status).isTransient;
	if (error instanceof NoResponseError) return PROXY_REFUSALS.includes(error.code);
	return error instanceof MalformedResponseError;
}
