import { type GatewayError, ServiceError } from './errors/gatewayError';
import { logText } from './lineText';
import type { RequestContext, ServiceRequest } from './serviceRequest';

/** When an attempt of a request began to wait, and when it was sent, by the monotonic clock. */
interface AttemptTimes {
	queuedAt: number;
	sentAt: number;
}

/**
 * Writes a line for each attempt of a request: how long it waited, the response, and the pause that follows. A line has no
 * key, body or prompt.
 * @param attempt its number, from 1
 * @param pauseMs milliseconds until the next attempt; undefined if none follows
 */
export function logAttempt(
	{ writeDebugLine, apiKey, clock }: RequestContext,
	{ method, path, scope }: ServiceRequest,
	attempt: number,
	{ queuedAt, sentAt }: AttemptTimes,
	failure?: GatewayError,
	pauseMs?: number,
): void {
	if (!writeDebugLine) return;
	const name = 'model' in scope ? `${scope.endpoint} ${scope.model}` : scope.endpoint;
	const waited = Math.round(sentAt - queuedAt);
	const pause = pauseMs === undefined ? '' : `, pause ${Math.round(pauseMs)} ms`;
	const parts = [outcomeOf(failure) + pause, `${Math.round(clock.now() - sentAt)} ms`];
	if (waited > 0) parts.push(`waited ${waited} ms for the rate limit or Max Concurrency`);
	const redact = (text: string) => apiKey.redactResponse(text);
	// The ID of a task may contain the key percent-encoded, and a path encodes each % of it again.
	const asked = redact(redact(`${method} ${path} [${name}]`).replaceAll('%25', '%'));
	writeDebugLine(`${logText(asked)} attempt ${attempt}: ${parts.map(logText).join(', ')}`);
}

function outcomeOf(failure: GatewayError | undefined): string {
	if (failure === undefined) return 'succeeded';
	return failure instanceof ServiceError
		? `status ${failure.status} ${failure.code}`
		: failure.code;
}
