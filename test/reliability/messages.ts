/** How n8n shows an error with a certain code. */
interface ErrorText {
	/** The possible messages. `…` stands for varying text. */
	messages: readonly string[];
	/** The class of the error that stops the workflow. */
	class: 'NodeApiError' | 'NodeOperationError';
}

const apiError = (...messages: string[]): ErrorText => ({ messages, class: 'NodeApiError' });
/** For errors that are not a refusal: a malformed response or a timeout. */
const operationError = (...messages: string[]): ErrorText => ({
	messages,
	class: 'NodeOperationError',
});

const PROXY_ERROR = 'A server between n8n and the service responded with status …';
const NO_TLS = 'Could not establish a secure connection to the service';
const FAILED = 'The service could not generate the video of task …';

export const ERROR_TEXTS: Record<string, ErrorText> = {
	invalid_request_error: apiError('The service refused a parameter of the request'),
	content_filtered: apiError(
		"The service's content policy blocked the request",
		"The service's content policy blocked the request: …",
	),
	invalid_api_key: apiError('The service refused the API key'),
	quota_not_enough: apiError('The account has no quota left'),
	bad_request: apiError(PROXY_ERROR),
	unauthorized: apiError(PROXY_ERROR),
	forbidden: apiError('The account is not allowed to do this', PROXY_ERROR),
	model_not_found: apiError('The model does not exist, or this account cannot use it'),
	task_not_found: apiError('Video task not found'),
	not_found: apiError('Endpoint not found'),
	payload_too_large: apiError('The request is too large for the service'),
	rate_limit_exceeded: apiError('The rate limit of the API key is exceeded'),
	internal_server_error: apiError('The service had an internal error', PROXY_ERROR),
	bad_gateway: apiError('A server behind the service is unavailable', PROXY_ERROR),
	service_unavailable: apiError('The service is overloaded or under maintenance', PROXY_ERROR),
	http_: apiError(PROXY_ERROR),
	status_: apiError('The service returned the unexpected status …'),
	service_error: apiError('The service returned an error instead of a result'),
	redirect_refused: apiError('Redirects are not followed, to protect the API key'),
	ECONNREFUSED: apiError('The service refused the connection'),
	ENOTFOUND: apiError("The service's host name could not be found"),
	EAI_AGAIN: apiError("The service's host name could not be resolved right now"),
	ERR_SSL_WRONG_VERSION_NUMBER: apiError(NO_TLS),
	DEPTH_ZERO_SELF_SIGNED_CERT: apiError(NO_TLS),
	connection_lost: apiError(
		'The connection to the service was lost before the response was complete',
	),
	damaged_answer: apiError('The compressed response is damaged'),
	stream_broken: apiError('The stream ended before the answer was complete'),
	timeout: apiError(
		'The service did not respond within …',
		'The service stopped sending data for …',
	),
	malformed_answer: operationError(
		'The response is not JSON',
		'The response does not have the format of the service',
		'The response is larger than any response of this service',
		'The response is larger than any response of this service: …',
		'The stream contains an invalid chunk',
		'The stream contains a line that does not end',
		'The stream ended without an answer',
	),
	wait_timeout: operationError(
		'Video task … was not finished after …',
		'The service could not be asked after … whether video task … is finished',
	),
	task_failed: apiError(FAILED),
	generation_failed: apiError(FAILED),
	upstream_refused: apiError(FAILED),
	download_refused: apiError(
		'The URL of the video returned status …',
		'The URL of the video returned a page instead of a video',
	),
	download_failed: apiError(
		'The video download was interrupted',
		'The URL of the video has too many redirects',
		'The video download stopped receiving data for …',
	),
};

/** Codes that determine the message also in a response with status 200. */
const SPECIFIC_CODES = ['invalid_api_key'];

/** The name of the text of an error with this code. */
export function textNameOf(code: string, status?: number): string {
	const isInSuccess = status === 200 && !SPECIFIC_CODES.includes(code);
	return isInSuccess ? 'service_error' : code.replace(/\d+$/, '');
}

/** The message and class that an error with this code must have. */
export function expectedText(code: string, status?: number): { message: RegExp; class: string } {
	const entry = ERROR_TEXTS[textNameOf(code, status)];
	if (entry === undefined) throw new Error(`No text for the code ${code}`);
	const patterns = entry.messages.map((text) => text.replaceAll('…', '.+'));
	return { message: new RegExp(`^(${patterns.join('|')})$`), class: entry.class };
}
