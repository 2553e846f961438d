interface StatusMessage {
	code: string;
	message: string;
	advice: string;
	/** Replaces `advice` when the service sends no message. */
	adviceWithoutWords?: string;
}

const BY_STATUS = {
	200: {
		code: 'service_error',
		message: 'The service returned an error instead of a result',
		advice: 'See the message from the service below.',
	},
	400: {
		code: 'invalid_request_error',
		message: 'The service refused a parameter of the request',
		advice: 'Correct the parameter that the message below names.',
		adviceWithoutWords:
			'Check the parameters of the node: the service does not say which one is wrong.',
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
		advice: "Check the account's balance, plan and permissions for this model.",
	},
	404: {
		code: 'not_found',
		message: 'Endpoint not found',
		advice:
			'Check the Base URL in the credential: it ends before or with /v1, and nothing comes after it. If only video requests fail, choose the other Video Base Path.',
	},
	413: {
		code: 'payload_too_large',
		message: 'The request is too large for the service',
		advice: 'Shorten the prompt or the messages.',
	},
	429: {
		code: 'rate_limit_exceeded',
		message: 'The rate limit of the API key is exceeded',
		advice: 'Wait a moment and run it again, or send fewer requests at once.',
	},
	500: {
		code: 'internal_server_error',
		message: 'The service had an internal error',
		advice: 'Try again in a few minutes.',
	},
	502: {
		code: 'bad_gateway',
		message: 'A server behind the service is unavailable',
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
	message: 'Redirects are not followed, to protect the API key',
	advice: 'Enter the final URL of the service as the Base URL in the credential.',
};

const BY_CODE = new Map<string, StatusMessage>(
	[
		BY_STATUS[401],
		BY_STATUS[429],
		{
			code: 'quota_not_enough',
			message: 'The account has no quota left',
			advice: 'Top up the balance or upgrade the plan, then run the node again.',
		},
		{
			code: 'model_not_found',
			message: 'The model does not exist, or this account cannot use it',
			advice:
				'Choose a model of the right kind from the list: language models cannot make videos, and video models cannot chat. Models can be renamed or withdrawn.',
		},
		{
			code: 'task_not_found',
			message: 'Video task not found',
			advice: 'Check the task ID. The service keeps tasks for about 7 days.',
		},
		{
			code: 'content_filtered',
			message: "The service's content policy blocked the request",
			advice: 'Change the wording of the prompt or messages.',
		},
	].map((entry) => [entry.code, entry]),
);

/**
 * The message for every status and code of the interface document (Errors).
 * @param code the service's own code, which is more specific than the status
 * @param hasWords whether the service's own message follows
 */
export function statusMessage(
	status: number,
	code: string | undefined,
	hasWords: boolean,
): Omit<StatusMessage, 'adviceWithoutWords'> {
	const entry = (code === undefined ? undefined : BY_CODE.get(code)) ?? byStatus(status, hasWords);
	return hasWords ? entry : { ...entry, advice: entry.adviceWithoutWords ?? entry.advice };
}

function byStatus(status: number, hasWords: boolean): StatusMessage {
	if (status >= 300 && status < 400) return REDIRECT;
	if (status === 201) return BY_STATUS[200];
	const known: Partial<Record<number, StatusMessage>> = BY_STATUS;
	return (
		known[status] ?? {
			code: `http_${status}`,
			message: `The service returned the unexpected status ${status}`,
			advice:
				status < 500 && hasWords
					? 'See the message from the service below, and check the Base URL in the credential.'
					: 'Check the Base URL in the credential, and try again in a few minutes.',
		}
	);
}

/** HTTP's own names: from another server, a status says nothing about a parameter, a key or an account. */
const HTTP_NAMES: Partial<Record<number, string>> = {
	400: 'bad_request',
	401: 'unauthorized',
	403: 'forbidden',
	500: 'internal_server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
};

/** For a status from a load balancer, reverse proxy, firewall or login page instead of the service. */
export function foreignMessage(status: number): StatusMessage {
	return {
		code: HTTP_NAMES[status] ?? `http_${status}`,
		message: `A server between n8n and the service responded with status ${status}`,
		advice:
			status < 500
				? 'The response does not have the format of the service, so it says nothing about your request, key or account. Check the Base URL in the credential, and any proxy, firewall or login page between n8n and the service.'
				: 'The response does not have the format of the service. The server in between may be unable to reach the service, or may not wait long enough for it: ask its administrator.',
	};
}
