import { type GatewayError, NoResponseError, ServiceError } from '../errors/gatewayError';

/** "Statuses 429, 500, 502, 503 are transient; clients retry with exponential backoff" (Errors). */
const TRANSIENT_STATUSES = new Set([429, 500, 502, 503]);
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/**
 * The longest pause that is waited out for a service that asks for one. Past it the item fails and says how
 * long to wait, because a workflow that stands still for hours is worse than one that says why.
 */
export const LONGEST_PAUSE_MS = 300_000;

/**
 * How long to wait before sending the same request again, in milliseconds; undefined: do not.
 * A POST that may have been received is never sent again; a GET can be repeated after any lost answer.
 * @param attempt retries already made
 */
export function retryDelay(
	error: GatewayError,
	{ attempt, maxRetries, paid }: { attempt: number; maxRetries: number; paid: boolean },
	random: () => number = Math.random,
): number | undefined {
	if (attempt >= maxRetries || !isTransient(error, paid)) return undefined;
	if (error instanceof ServiceError && error.retryAfterMs !== undefined) {
		return error.retryAfterMs <= LONGEST_PAUSE_MS ? error.retryAfterMs : undefined;
	}
	return backoff(attempt, random);
}

function isTransient(error: GatewayError, paid: boolean): boolean {
	if (paid && error.mayHaveBeenAccepted) return false;
	if (error instanceof ServiceError) return isTransientStatus(error.status);
	return error instanceof NoResponseError && error.transient;
}

/** The document's transient statuses, and those by which other servers on the way say the same. */
export function isTransientStatus(status: number): boolean {
	return TRANSIENT_STATUSES.has(status) || status === 408 || status === 425 || status > 503;
}

/**
 * Whether a service that answered a POST with this status may have created something that is charged.
 * Of the document's statuses the transient ones are refusals, since clients retry them; a server on the way that
 * gave up waiting (408, 504 and others) does not know what became of the request.
 */
export function mayHideSuccess(status: number): boolean {
	return status < 300 || (isTransientStatus(status) && !TRANSIENT_STATUSES.has(status));
}

/** Exponential backoff with full jitter, so that many clients that failed together do not return together. */
export function backoff(attempt: number, random: () => number = Math.random): number {
	return random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}
