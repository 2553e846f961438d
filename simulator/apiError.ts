import { jsonResponse, withHeaders, type HttpResponse } from './httpResponse';

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

// The document gives the type `invalid_request_error` for the code `invalid_api_key`; the
// other types are invented.
function errorType(status: number): string {
	if (status === 403) return 'permission_error';
	if (status === 429) return 'rate_limit_error';
	return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function errorBody(error: ApiError, shape: ErrorShape): unknown {
	const { code, message, data, status } = error;
	return shape === 'general'
		? { code, message, data }
		: { error: { message, type: errorType(status), code } };
}

export function apiErrorResponse(error: ApiError, shape: ErrorShape): HttpResponse {
	return withHeaders(jsonResponse(errorBody(error, shape), error.status), error.headers);
}

/** The headers of a 429: Retry-After in seconds, the reset as a Unix timestamp. */
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
