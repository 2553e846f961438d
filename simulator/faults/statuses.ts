import { ALL, API, faultsOn } from './fault';
import { empty, html, plainText, apiError } from './effects/replace';

interface Refusal {
	/** Of the fault. */
	name: string;
	status: number;
	code: string;
	data: object | null;
}

const refusal = (
	status: number,
	code: string,
	name: string,
	data: object | null = null,
): Refusal => ({
	name,
	status,
	code,
	data,
});

/** The errors of the interface document. It gives no codes for 413, 500, 502 and 503: these are invented. */
export const REFUSALS: readonly Refusal[] = [
	refusal(400, 'invalid_request_error', 'invalid-request'),
	refusal(400, 'content_filtered', 'content-filtered', { reason: 'violence' }),
	refusal(401, 'invalid_api_key', 'invalid-api-key'),
	refusal(403, 'quota_not_enough', 'quota-not-enough'),
	refusal(404, 'model_not_found', 'model-not-found'),
	refusal(404, 'task_not_found', 'task-not-found'),
	refusal(413, 'payload_too_large', 'payload-too-large'),
	refusal(429, 'rate_limit_exceeded', 'rate-limit', { retry_after: 1 }),
	refusal(500, 'internal_server_error', 'internal-error'),
	refusal(502, 'bad_gateway', 'bad-gateway'),
	refusal(503, 'service_unavailable', 'unavailable'),
];

const documented = REFUSALS.flatMap(({ name, status, code, data }) =>
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

/** The last three are those of servers in between that gave up waiting. */
const withoutErrorBody = [400, 401, 403, 404, 413, 429, 500, 502, 503, 408, 504, 522].flatMap(
	(status) =>
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
