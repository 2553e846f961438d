import {
	type GatewayError,
	MalformedResponseError,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { type NodeCode, statusOf } from '../errors/statuses';

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

/** Whether a POST that ends in this error may have created something billable. */
export function mayHideSuccess(error: GatewayError): boolean {
	if (!(error instanceof ServiceError)) return error instanceof MalformedResponseError;
	const { hidesSuccess } = statusOf(error.status);
	return hidesSuccess === 'always' || (hidesSuccess === 'if foreign' && error.isForeign);
}

/**
 * Exponential backoff with jitter, so that clients that failed together do not retry together. The jitter takes off
 * at most half: the first retry comes after 250 to 500 ms, never at once.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
	return ((1 + random()) / 2) * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}
