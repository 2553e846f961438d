import {
	type GatewayError,
	MalformedResponseError,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';

/** "Statuses 429, 500, 502, 503 are transient; clients retry with exponential backoff" (Errors). */
const TRANSIENT_STATUSES = new Set([429, 500, 502, 503]);
const FIRST_BACKOFF_MS = 500;
/** Shorter pauses use up all retries before anything has changed. */
const MIN_PAUSE_MS = FIRST_BACKOFF_MS / 2;
const MAX_BACKOFF_MS = 30_000;
/** A workflow that hangs for hours is worse than one that fails and says when to retry. */
const MAX_PAUSE_MS = 300_000;

/**
 * Milliseconds to wait after an error before the next request: what the service asks for, else exponential backoff.
 * Undefined: the service asks for more than a workflow waits. Decides this for one request and for all of a key.
 * @param attempt retries already made
 */
export function pauseAfter(
	error: GatewayError,
	attempt: number,
	random: () => number = Math.random,
): number | undefined {
	const stated = error instanceof ServiceError ? error.retryAfterMs : undefined;
	if (stated === undefined) return backoff(attempt, random);
	return stated <= MAX_PAUSE_MS ? Math.max(stated, MIN_PAUSE_MS) : undefined;
}

/** Whether the same request may be sent again: not if it may have been billed; a GET always. */
export function isRetryable(error: GatewayError, paid: boolean): boolean {
	if (paid && error.mayHaveBeenAccepted) return false;
	if (error instanceof ServiceError) return isTransientStatus(error.status);
	return error instanceof NoResponseError && error.transient;
}

/** Codes of an HTTP proxy that refused to pass a request on. */
const PROXY_REFUSALS = ['proxy_login', 'proxy_refused'];

/**
 * Whether a failure is no word of the service: a redirect, a page, the refusal of a proxy, whatever its status, unless
 * that is transient anyway. A proxy that is being redeployed answers like this for a while, and a wrong URL always does.
 */
export function isForeignAnswer(error: GatewayError): boolean {
	if (error instanceof ServiceError) return !error.isOwnWord && !isTransientStatus(error.status);
	if (error instanceof NoResponseError) return PROXY_REFUSALS.includes(error.code);
	return error instanceof MalformedResponseError;
}

/** The document's transient statuses, and those that servers in between use for the same. */
export function isTransientStatus(status: number): boolean {
	return TRANSIENT_STATUSES.has(status) || status === 408 || status === 425 || status > 503;
}

/** The service receives too many requests: "rate limit exceeded" (429), "maintenance or overload" (503). */
export function isThrottled(status: number): boolean {
	return status === 429 || status === 503;
}

/**
 * Whether a POST that ends in this error may have created something billable. Of the document's statuses, the
 * transient ones are refusals, since clients retry them. A server in between that failed, or gave up waiting (408, 504
 * and others), does not know the outcome of the request.
 */
export function mayHideSuccess(error: GatewayError): boolean {
	if (!(error instanceof ServiceError)) return error instanceof MalformedResponseError;
	const { status, isForeign } = error;
	// "See Other": the result of a POST that was processed (RFC 9110, 15.4.4).
	if (status === 303) return true;
	if (isForeign) return status >= 500;
	return status < 300 || (isTransientStatus(status) && !TRANSIENT_STATUSES.has(status));
}

/**
 * Exponential backoff with jitter, so that clients that failed together do not retry together. The jitter takes off
 * at most half: the first retry comes after 250 to 500 ms, never at once.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
	return ((1 + random()) / 2) * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}
