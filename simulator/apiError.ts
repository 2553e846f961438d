import { jsonAnswer, withHeaders, type Answer } from './answer';
import type { Endpoint } from './endpoints';

/** `general` is `{code, message, data}`; `alternate` is `{error: {message, type, code}}`. */
export type ErrorShape = 'general' | 'alternate';

/** An error response with a status and code of the interface document. */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly data: unknown = null,
		readonly headers: Record<string, string> = {},
	) {
		super(message);
	}
}

// The document gives `invalid_request_error` as the type that goes with `invalid_api_key`; the
// other types are invented.
function errorType(status: number): string {
	if (status === 403) return 'permission_error';
	if (status === 429) return 'rate_limit_error';
	return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function errorBody(refusal: ApiError, shape: ErrorShape): unknown {
	const { code, message, data, status } = refusal;
	return shape === 'general'
		? { code, message, data }
		: { error: { message, type: errorType(status), code } };
}

export function apiErrorAnswer(refusal: ApiError, shape: ErrorShape): Answer {
	return withHeaders(jsonAnswer(errorBody(refusal, shape), refusal.status), refusal.headers);
}

/** The document shows the alternate shape for the chat endpoint and no other. */
export function shapeOf(endpoint: Endpoint, choice: ErrorShape | 'documented'): ErrorShape {
	if (choice !== 'documented') return choice;
	return endpoint === 'chat' || endpoint === 'chatStream' ? 'alternate' : 'general';
}

/** Headers of a 429: the wait as seconds and the reset as a Unix timestamp. */
export function rateLimitHeaders(
	limit: number,
	waitSeconds: number,
	nowMs: number,
): Record<string, string> {
	return {
		'x-ratelimit-limit-requests': String(limit),
		'x-ratelimit-remaining-requests': '0',
		'x-ratelimit-reset-requests': String(Math.ceil(nowMs / 1000) + waitSeconds),
		'retry-after': String(waitSeconds),
	};
}
