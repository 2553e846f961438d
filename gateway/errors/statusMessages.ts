type StatusMessage = [code: string, message: string, advice: string];

/**
 * Plain words for every status and code of the interface document (Errors).
 * @param hasWords whether the words of the service stand below them
 */
export function statusMessage(
	status: number,
	code: string | undefined,
	hasWords: boolean,
): StatusMessage {
	switch (code) {
		case 'invalid_api_key':
			return explainStatus(401);
		case 'quota_not_enough':
			return [
				code,
				'The account has no quota left',
				'Top up the balance or raise the plan of the account, then run the node again.',
			];
		case 'model_not_found':
			return [
				code,
				'The service does not know the model, or this account may not use it',
				'Choose a model from the list, and one of the right kind: language models make no videos, and video models write no answers. Names change, and models can be withdrawn.',
			];
		case 'task_not_found':
			return [
				code,
				'The service does not know the video task',
				'Check the task ID. The service keeps a task for about 7 days.',
			];
		case 'content_filtered':
			return [
				code,
				"The service's content policy stopped the request",
				'Change the wording of the prompt or messages.',
			];
		case 'rate_limit_exceeded':
			return explainStatus(429);
		default:
			return explainStatus(status, hasWords);
	}
}

function explainStatus(status: number, hasWords = true): StatusMessage {
	if (status >= 300 && status < 400) {
		return [
			'redirect_refused',
			'The service answered with a redirect, which is not followed so that the key stays where it belongs',
			'Put the final address of the service into the Base URL of the credential.',
		];
	}
	switch (status) {
		case 200:
		case 201:
			return [
				'service_error',
				'The service reported an error in place of its answer',
				'Read what the service says below.',
			];
		case 400:
			return [
				'invalid_request_error',
				'The service refused a parameter of the request',
				hasWords
					? 'Correct the parameter that the service names below.'
					: 'Check the parameters of the node: the service does not say which one it refuses.',
			];
		case 401:
			return [
				'invalid_api_key',
				'The service refused the API key',
				'Check the key in the Generation Service API credential: it may be mistyped, deleted, disabled or expired.',
			];
		case 403:
			return [
				'forbidden',
				'The account is not allowed to do this',
				'Check the balance, the plan and the permissions of the account for this model.',
			];
		case 404:
			return [
				'not_found',
				'The service has nothing at this address',
				'Check the Base URL in the credential. If only videos are not found, choose the other Video Base Path there.',
			];
		case 413:
			return [
				'payload_too_large',
				'The request is too large for the service',
				'Shorten the prompt or the messages.',
			];
		case 429:
			return [
				'rate_limit_exceeded',
				'The rate limit of the key is exceeded',
				'Wait a moment and run the node again, or let it ask for less at once (Max Concurrency).',
			];
		case 500:
			return [
				'internal_server_error',
				'The service failed on its side',
				'Try again in a few minutes.',
			];
		case 502:
			return [
				'bad_gateway',
				'A server behind the service is not available right now',
				'Try again in a few minutes.',
			];
		case 503:
			return [
				'service_unavailable',
				'The service is overloaded or under maintenance',
				'Try again in a few minutes.',
			];
		default:
			return [
				`http_${status}`,
				`The service answered with the unexpected status ${status}`,
				status < 500 && hasWords
					? 'Read what the service says below, and check the Base URL in the credential.'
					: 'Check the Base URL in the credential, and try again in a few minutes.',
			];
	}
}
