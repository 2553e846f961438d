import { ALL, API, faultsOn } from './fault';
import { empty, html, plainText, apiError } from './effects/replace';

// The document gives no codes for 413, 500, 502 and 503. These are invented.
const DOCUMENTED = [
	['invalid-request', 400, 'invalid_request_error', null],
	['content-filtered', 400, 'content_filtered', { reason: 'violence' }],
	['invalid-api-key', 401, 'invalid_api_key', null],
	['quota-not-enough', 403, 'quota_not_enough', null],
	['model-not-found', 404, 'model_not_found', null],
	['task-not-found', 404, 'task_not_found', null],
	['payload-too-large', 413, 'payload_too_large', null],
	['rate-limit', 429, 'rate_limit_exceeded', { retry_after: 1 }],
	['internal-error', 500, 'internal_server_error', null],
	['bad-gateway', 502, 'bad_gateway', null],
	['unavailable', 503, 'service_unavailable', null],
] as const;

const documented = DOCUMENTED.flatMap(([name, status, code, data]) =>
	faultsOn(API, {
		[name]: [`${status} ${code}`, apiError(status, code, data)],
		[`${name}-general`]: [
			`${status} ${code}, {code, message, data}`,
			apiError(status, code, data, 'general'),
		],
		[`${name}-alternate`]: [
			`${status} ${code}, {error: {message, type, code}}`,
			apiError(status, code, data, 'alternate'),
		],
	}),
);

const withoutErrorBody = [400, 401, 403, 404, 413, 429, 500, 502, 503].flatMap((status) =>
	faultsOn(ALL, {
		[`html-${status}`]: [`${status} with an HTML page`, html(status)],
		[`text-${status}`]: [`${status} with plain text`, plainText(status)],
		[`empty-${status}`]: [`${status} without a body`, empty(status)],
	}),
);

const undocumented = [402, 405, 408, 409, 422, 451, 504, 529].flatMap((status) =>
	faultsOn(API, {
		[`status-${status}`]: [
			`${status}, which the document does not name`,
			apiError(status, `status_${status}`, null),
		],
	}),
);

/** The statuses and codes of the document, the same statuses with other bodies, and statuses it does not name. */
export const statuses = [...documented, ...withoutErrorBody, ...undocumented];
