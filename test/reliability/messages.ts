import { STATUS_TABLE } from '../../gateway/errors/statuses';

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

/** What errors of a status say, by their code: docs/errors.md has the same texts. */
const ofStatuses = STATUS_TABLE.flatMap(({ code, codeInBetween = code, message, inBetween }) => [
	{ code, message },
	...(inBetween === undefined ? [] : [{ code: codeInBetween, message: PROXY_ERROR }]),
]);
const messagesOf = (wanted: string) =>
	ofStatuses.filter(({ code }) => code === wanted).map(({ message }) => message);

export const ERROR_TEXTS: Record<string, ErrorText> = {
	...Object.fromEntries(ofStatuses.map(({ code }) => [code, apiError(...messagesOf(code))])),
	content_filtered: apiError(
		...messagesOf('content_filtered').flatMap((text) => [text, `${text}: …`]),
	),
	http_: apiError(PROXY_ERROR),
	status_: apiError(
		'The service returned the unexpected status …',
		...messagesOf('invalid_request_error'),
		...messagesOf('quota_not_enough'),
		...messagesOf('service_unavailable'),
	),
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
		'The answer about the video task was not understood',
		'The response is larger than any response of this service',
		'The response is larger than any response of this service: …',
		'The stream contains an invalid chunk',
		'The stream contains a line that does not end',
		'The stream ended without an answer',
	),
	wait_timeout: operationError(
		'The video was not finished when Max Wait was over',
		'The service could not be asked when Max Wait was over whether the video is finished',
	),
	task_failed: apiError(FAILED),
	generation_failed: apiError(FAILED),
	upstream_refused: apiError(FAILED),
	download_refused: apiError(
		'The URL of the video returned status …',
		'The service delivered … instead of a video',
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
