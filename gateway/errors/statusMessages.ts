interface StatusMessage {
	code: string;
	message: string;
	advice: string;
	/** In place of `advice` where the service says nothing. */
	adviceWithoutWords?: string;
}

const BY_STATUS = {
	200: {
		code: 'service_error',
		message: 'The service reported an error in place of its answer',
		advice: 'Read what the service says below.',
	},
	400: {
		code: 'invalid_request_error',
		message: 'The service refused a parameter of the request',
		advice: 'Correct the parameter that the service names below.',
		adviceWithoutWords:
			'Check the parameters of the node: the service does not say which one it refuses.',
	},
	401: {
		code: 'invalid_api_key',
		message: 'The service refused the API key',
		advice:
			'Check the key in the Generation Service API credential: it may be mistyped, deleted, disabled or expired.',
	},
	403: {
		code: 'forbidden',
		message: 'The account is not allowed to do this',
		advice: 'Check the balance, the plan and the permissions of the account for this model.',
	},
	404: {
		code: 'not_found',
		message: 'The service has nothing at this address',
		advice:
			'Check the Base URL in the credential, and leave out /v1 and all that follows it. If only videos are not found, choose the other Video Base Path.',
	},
	413: {
		code: 'payload_too_large',
		message: 'The request is too large for the service',
		advice: 'Shorten the prompt or the messages.',
	},
	429: {
		code: 'rate_limit_exceeded',
		message: 'The rate limit of the key is exceeded',
		advice:
			'Wait a moment and run the node again, or let it ask for less at once (Max Concurrency).',
	},
	500: {
		code: 'internal_server_error',
		message: 'The service failed on its side',
		advice: 'Try again in a few minutes.',
	},
	502: {
		code: 'bad_gateway',
		message: 'A server behind the service is not available right now',
		advice: 'Try again in a few minutes.',
	},
	503: {
		code: 'service_unavailable',
		message: 'The service is overloaded or under maintenance',
		advice: 'Try again in a few minutes.',
	},
} as const satisfies Record<number, StatusMessage>;

const REDIRECT: StatusMessage = {
	code: 'redirect_refused',
	message:
		'The service answered with a redirect, which is not followed so that the key stays where it belongs',
	advice: 'Put the final address of the service into the Base URL of the credential.',
};

const BY_CODE = new Map<string, StatusMessage>(
	[
		BY_STATUS[401],
		BY_STATUS[429],
		{
			code: 'quota_not_enough',
			message: 'The account has no quota left',
			advice: 'Top up the balance or raise the plan of the account, then run the node again.',
		},
		{
			code: 'model_not_found',
			message: 'The service does not know the model, or this account may not use it',
			advice:
				'Choose a model from the list, and one of the right kind: language models make no videos, and video models write no answers. Names change, and models can be withdrawn.',
		},
		{
			code: 'task_not_found',
			message: 'The service does not know the video task',
			advice: 'Check the task ID. The service keeps a task for about 7 days.',
		},
		{
			code: 'content_filtered',
			message: "The service's content policy stopped the request",
			advice: 'Change the wording of the prompt or messages.',
		},
	].map((told) => [told.code, told]),
);

/**
 * Plain words for every status and code of the interface document (Errors).
 * @param code the service's own code, which says more than the status
 * @param hasWords whether the words of the service follow
 */
export function statusMessage(
	status: number,
	code: string | undefined,
	hasWords: boolean,
): Omit<StatusMessage, 'adviceWithoutWords'> {
	const told = (code === undefined ? undefined : BY_CODE.get(code)) ?? byStatus(status, hasWords);
	return hasWords ? told : { ...told, advice: told.adviceWithoutWords ?? told.advice };
}

function byStatus(status: number, hasWords: boolean): StatusMessage {
	if (status >= 300 && status < 400) return REDIRECT;
	if (status === 201) return BY_STATUS[200];
	const known: Partial<Record<number, StatusMessage>> = BY_STATUS;
	return (
		known[status] ?? {
			code: `http_${status}`,
			message: `The service answered with the unexpected status ${status}`,
			advice:
				status < 500 && hasWords
					? 'Read what the service says below, and check the Base URL in the credential.'
					: 'Check the Base URL in the credential, and try again in a few minutes.',
		}
	);
}

/** HTTP's own names: where another server answers, a status is no verdict on a parameter, a key or an account. */
const HTTP_NAMES: Partial<Record<number, string>> = {
	400: 'bad_request',
	401: 'unauthorized',
	403: 'forbidden',
	500: 'internal_server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
};

/** For a status that comes from a load balancer, reverse proxy, firewall or login page instead of the service. */
export function foreignMessage(status: number): StatusMessage {
	return {
		code: HTTP_NAMES[status] ?? `http_${status}`,
		message: `A server between n8n and the service answered, with status ${status}`,
		advice:
			status < 500
				? 'The response does not have the format of the service, so it says nothing about your request, your key or your account. Check the Base URL in the credential, and what a proxy, firewall or login page between n8n and the service asks for.'
				: 'The response does not have the format of the service. The server in between may not reach the service, or may not wait long enough for it: ask whoever runs that server.',
	};
}
