import { ApiError, rateLimitHeaders } from './apiError';
import type { RandomRefusals } from './options';
import type { LimitExceeded } from './rateLimit';

/** The error of a request beyond a limit, which says what the limit announces. */
export function limitError(
	{ limit, requests, retryAfterMs }: LimitExceeded,
	nowMs: number,
): ApiError {
	const seconds = limit.retryAfter ?? Math.max(1, Math.ceil(retryAfterMs / 1000));
	const headers = rateLimitHeaders(requests, seconds, nowMs);
	const { 'retry-after': _, ...withoutSeconds } = headers;
	const announced = {
		seconds: { data: { retry_after: seconds }, headers },
		reset: { data: null, headers: withoutSeconds },
		nothing: { data: null, headers: {} },
	}[limit.announces ?? 'seconds'];
	return new ApiError(
		429,
		'rate_limit_exceeded',
		'Too many requests.',
		announced.data,
		announced.headers,
	);
}

const REFUSAL_CODES: Record<RandomRefusals['status'], string> = {
	429: 'rate_limit_exceeded',
	500: 'internal_server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
};

/** The error of a request that is refused by chance. */
export function refusalError({ status, retryAfterSeconds }: RandomRefusals): ApiError {
	const code = REFUSAL_CODES[status];
	const isTold = retryAfterSeconds !== undefined;
	const data = isTold && status === 429 ? { retry_after: retryAfterSeconds } : null;
	const headers = isTold ? { 'retry-after': String(retryAfterSeconds) } : {};
	return new ApiError(status, code, 'The service is busy, try again.', data, headers);
}
