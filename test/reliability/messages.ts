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

const IN_BETWEEN = 'A server between n8n and the service answered, with status …';
const NO_TLS = 'No secure connection to the service could be made';
const FAILED = 'The service could not make the video of task …';

export const TOLD: Record<string, Told> = {
	invalid_request_error: told('The service refused a parameter of the request'),
	content_filtered: told(
		"The service's content policy stopped the request",
		"The service's content policy stopped the request: …",
	),
	invalid_api_key: told('The service refused the API key'),
	quota_not_enough: told('The account has no quota left'),
	bad_request: told(IN_BETWEEN),
	unauthorized: told(IN_BETWEEN),
	forbidden: told('The account is not allowed to do this', IN_BETWEEN),
	model_not_found: told('The service does not know the model, or this account may not use it'),
	task_not_found: told('The service does not know the video task'),
	not_found: told('The service has nothing at this address'),
	payload_too_large: told('The request is too large for the service'),
	rate_limit_exceeded: told('The rate limit of the key is exceeded'),
	internal_server_error: told('The service failed on its side', IN_BETWEEN),
	bad_gateway: told('A server behind the service is not available right now', IN_BETWEEN),
	service_unavailable: told('The service is overloaded or under maintenance', IN_BETWEEN),
	status_: told('The service answered with the unexpected status …'),
	service_error: told('The service reported an error in place of its answer'),
	redirect_refused: told(
		'The service answered with a redirect, which is not followed so that the key stays where it belongs',
	),
	ECONNREFUSED: told('The service refuses connections'),
	ENOTFOUND: told("The service's address could not be found"),
	EAI_AGAIN: told("The service's address could not be looked up right now"),
	ERR_SSL_WRONG_VERSION_NUMBER: told(NO_TLS),
	DEPTH_ZERO_SELF_SIGNED_CERT: told(NO_TLS),
	connection_lost: told('The connection to the service was lost before its answer was complete'),
	damaged_answer: told("The service's compressed answer is damaged"),
	stream_broken: told('The streamed answer broke off before its end'),
	timeout: told(
		'The service did not answer within …',
		'The service fell silent for … in the middle of its answer',
	),
	malformed_answer: seen(
		'The answer is not JSON',
		'The answer is not what the interface of the service promises',
		'The service sent something that is no streamed answer',
		'The service sent something that is no chunk of a streamed answer',
		'The streamed answer contains a line that does not end',
		'The streamed answer ended without an answer in it',
	),
	wait_timeout: seen('Video task … was not finished after …'),
	task_failed: told(FAILED),
	generation_failed: told(FAILED),
	upstream_refused: told(FAILED),
	download_refused: told(
		'The address of the video answered with status …',
		'The address of the video answered with a page in place of it',
	),
	download_failed: told(
		'The download of the video broke off',
		'The download of the video stood still for …',
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
