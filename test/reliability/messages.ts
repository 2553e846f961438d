/** What an error says, by its code. */
interface Told {
	/** One of these; `…` stands for what differs. */
	messages: readonly string[];
	/** The class of n8n's error when it stops the workflow. */
	class: 'NodeApiError' | 'NodeOperationError';
}

const told = (...messages: string[]): Told => ({ messages, class: 'NodeApiError' });
/** Nobody refused anything: what came makes no sense, or nothing came in time. */
const seen = (...messages: string[]): Told => ({ messages, class: 'NodeOperationError' });

const IN_BETWEEN = 'A server between n8n and the service responded with status …';
const NO_TLS = 'Could not establish a secure connection to the service';
const FAILED = 'The service could not generate the video of task …';

export const TOLD: Record<string, Told> = {
	invalid_request_error: told('The service refused a parameter of the request'),
	content_filtered: told(
		"The service's content policy blocked the request",
		"The service's content policy blocked the request: …",
	),
	invalid_api_key: told('The service refused the API key'),
	quota_not_enough: told('The account has no quota left'),
	bad_request: told(IN_BETWEEN),
	unauthorized: told(IN_BETWEEN),
	forbidden: told('The account is not allowed to do this', IN_BETWEEN),
	model_not_found: told('The model does not exist, or this account cannot use it'),
	task_not_found: told('Video task not found'),
	not_found: told('Endpoint not found'),
	payload_too_large: told('The request is too large for the service'),
	rate_limit_exceeded: told('The rate limit of the API key is exceeded'),
	internal_server_error: told('The service had an internal error', IN_BETWEEN),
	bad_gateway: told('A server behind the service is unavailable', IN_BETWEEN),
	service_unavailable: told('The service is overloaded or under maintenance', IN_BETWEEN),
	status_: told('The service returned the unexpected status …'),
	service_error: told('The service returned an error instead of a result'),
	redirect_refused: told('Redirects are not followed, to protect the API key'),
	ECONNREFUSED: told('The service refused the connection'),
	ENOTFOUND: told("The service's host name could not be found"),
	EAI_AGAIN: told("The service's host name could not be resolved right now"),
	ERR_SSL_WRONG_VERSION_NUMBER: told(NO_TLS),
	DEPTH_ZERO_SELF_SIGNED_CERT: told(NO_TLS),
	connection_lost: told('The connection to the service was lost before the response was complete'),
	damaged_answer: told('The compressed response is damaged'),
	stream_broken: told('The stream ended before the answer was complete'),
	timeout: told('The service did not respond within …', 'The service stopped sending data for …'),
	malformed_answer: seen(
		'The response is not JSON',
		'The response does not have the format of the service',
		'The stream contains an invalid chunk',
		'The stream contains a line that does not end',
		'The stream ended without an answer',
	),
	wait_timeout: seen('Video task … was not finished after …'),
	task_failed: told(FAILED),
	generation_failed: told(FAILED),
	upstream_refused: told(FAILED),
	download_refused: told(
		'The URL of the video returned status …',
		'The URL of the video returned a page instead of a video',
	),
	download_failed: told(
		'The video download was interrupted',
		'The video download stopped receiving data for …',
	),
};

/** Codes that explain an error also inside a successful answer. */
const EXPLAINED = ['invalid_api_key'];

/** What an error of this code must say. */
export function toldBy(code: string, status?: number): { message: RegExp; class: string } {
	const isInside = status === 200 && !EXPLAINED.includes(code);
	const entry = TOLD[isInside ? 'service_error' : code.replace(/\d+$/, '')];
	if (entry === undefined) throw new Error(`No words for the code ${code}`);
	const patterns = entry.messages.map((text) => text.replaceAll('…', '.+'));
	return { message: new RegExp(`^(${patterns.join('|')})$`), class: entry.class };
}
