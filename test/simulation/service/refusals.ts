import { ApiError, apiErrorResponse } from '../../../simulator/apiError';
import type { Effect } from '../../../simulator/faults/fault';
import { replace } from '../../../simulator/faults/effects/replace';

// Refusals as services send them that the interface document does not describe.

function refusal(
	status: number,
	code: string,
	message: string,
	headers: (nowMs: number) => Record<string, string> = () => ({}),
): Effect {
	return replace(({ shape, nowMs }) =>
		apiErrorResponse(new ApiError(status, code, message, null, headers(nowMs)), shape),
	);
}

const after = (seconds: number) => () => ({ 'retry-after': String(seconds) });

const LIMITED = 'rate_limit_exceeded';
const TOO_LARGE = 'Request too large for this model: limit 30000 tokens, requested 41022.';
const NO_QUOTA = 'You exceeded your current quota.';

export const tooLarge = (seconds: number) => refusal(429, LIMITED, TOO_LARGE, after(seconds));

export const shouldNotRetry = refusal(429, LIMITED, 'Not this one.', () => ({
	'retry-after': '1',
	'x-should-retry': 'false',
}));

export const quotaAs429 = refusal(429, 'insufficient_quota', NO_QUOTA);

export const quotaLater = refusal(403, 'quota_not_enough', NO_QUOTA, after(20));

export const quota429Later = refusal(429, 'quota_not_enough', NO_QUOTA, after(20));

export const retryAfterUnixTime = refusal(429, LIMITED, 'Too many requests.', (nowMs) => ({
	'retry-after': String(Math.ceil(nowMs / 1000) + 2),
}));

export const waits = (status: 429 | 503) =>
	refusal(status, status === 429 ? LIMITED : 'service_unavailable', 'Busy.', after(20));

const LONG_CODE = `code_${'x'.repeat(300)}\u001b[31m\u202e\n`;

/** The code repeats the key. */
export const longCode: Effect = replace(({ shape, authorization }) => {
	const error = new ApiError(400, LONG_CODE + authorization, 'This request is not valid.');
	return apiErrorResponse(error, shape);
});
