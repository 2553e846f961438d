/** What a status, or a code of the service with it, means for a user. */
export interface Status {
	status: number;
	code: string;
	message: string;
	advice: string;
	/** Replaces `advice` when the service sends no message. */
	adviceWithoutWords?: string;
	/** Replaces `advice` when the service does not name the parameter. */
	adviceWithoutParameter?: string;
	/** When a response without an error body of the service comes from a server in between. Default: never. */
	inBetween?: 'always' | 'with a body' | 'if late';
	/** The code of a server in between: HTTP's name of the status, which says nothing about a parameter or key. Default: `code`. */
	codeInBetween?: string;
	/** The same request may succeed later. */
	isTransient?: boolean;
	/** The service receives too many requests: "rate limit exceeded" (429), "maintenance or overload" (503). */
	isThrottled?: boolean;
	/** When a POST with this status may have created something billable, although it failed. Default: never. */
	hidesSuccess?: 'always' | 'unless the service says so';
}

const NO_QUOTA = {
	message: 'The account has no quota left',
	advice: 'Top up the balance or upgrade the plan, then run the node again.',
};
/** What the failures of a service have in common, and of a server in between, which may have passed the request on. */
const FAILURE = {
	advice: 'Try again in a few minutes.',
	isTransient: true,
	inBetween: 'always',
	hidesSuccess: 'unless the service says so',
} as const;

/**
 * The one table of statuses: those of the interface document (Errors). The first row of a status is the one without a
 * specific code. "Statuses 429, 500, 502, 503 are transient; clients retry with exponential backoff": with them, the
 * service did not accept the request, unless a server in between sent them.
 */
export const STATUS_TABLE: readonly Status[] = [
	{
		status: 400,
		code: 'invalid_request_error',
		message: 'The service refused a parameter of the request',
		advice: 'Correct the parameter that the service names.',
		adviceWithoutWords:
			'Check the parameters of the node: the service does not say which one is wrong.',
		adviceWithoutParameter:
			'See the message from the service below, and check the parameters of the node.',
		inBetween: 'with a body',
		codeInBetween: 'bad_request',
	},
	{
		status: 400,
		code: 'content_filtered',
		message: "The service's content policy blocked the request",
		advice: 'Change the wording of the prompt or messages.',
	},
	{
		status: 401,
		code: 'invalid_api_key',
		message: 'The service refused the API key',
		advice:
			'Check the key in the Generation Service API credential: it may be mistyped, deleted, disabled or expired.',
		inBetween: 'with a body',
		codeInBetween: 'unauthorized',
	},
	{
		status: 403,
		code: 'forbidden',
		message: 'The account is not allowed to do this',
		advice: "Check the account's balance, plan and permissions for this model.",
		inBetween: 'with a body',
	},
	{
		status: 403,
		...NO_QUOTA,
		code: 'quota_not_enough',
	},
	{
		status: 404,
		code: 'not_found',
		message: 'Endpoint not found',
		advice:
			'Check the Base URL in the credential: it may end with /v1, but nothing may follow that. If only video requests fail, choose the other Video Base Path.',
	},
	{
		status: 404,
		code: 'model_not_found',
		message: 'The model does not exist, or this account cannot use it',
		advice:
			'Choose a model of the right kind from the list: language models cannot make videos, and video models cannot chat. Models can be renamed or withdrawn.',
	},
	{
		status: 404,
		code: 'task_not_found',
		message: 'Video task not found',
		advice: 'Check the task ID. The service keeps tasks for about 7 days.',
	},
	{
		status: 413,
		code: 'payload_too_large',
		message: 'The request is too large for the service',
		advice: 'Shorten the prompt or the messages.',
	},
	{
		status: 429,
		code: 'rate_limit_exceeded',
		message: 'The rate limit of the API key is exceeded',
		advice: 'Wait a moment and run it again, or send fewer requests at once.',
		isTransient: true,
		isThrottled: true,
	},
	{
		...FAILURE,
		status: 500,
		code: 'internal_server_error',
		message: 'The service had an internal error',
	},
	{
		...FAILURE,
		status: 502,
		code: 'bad_gateway',
		message: 'A server behind the service is unavailable',
	},
	{
		...FAILURE,
		status: 503,
		code: 'service_unavailable',
		message: 'The service is overloaded or under maintenance',
		inBetween: 'if late',
		isThrottled: true,
	},
];

const SUCCESS: Omit<Status, 'status'> = {
	code: 'service_error',
	message: 'The service returned an error instead of a result',
	advice: 'See the message from the service below.',
	hidesSuccess: 'always',
};

const REDIRECT = {
	code: 'redirect_refused',
	message: 'Redirects are not followed, to protect the API key',
	advice: 'Enter the final URL of the service as the Base URL in the credential.',
};

/** Whether a code is one of the table. */
export function isCodeOfStatus(code: string): boolean {
	return STATUS_TABLE.some((entry) => entry.code === code || entry.codeInBetween === code);
}

/** Whether the document names this status as one of errors. */
export function isDocumentedStatus(status: number): boolean {
	return STATUS_TABLE.some((entry) => entry.status === status);
}

/** What a status means without a specific code. */
export function statusOf(status: number): Status {
	const documented = STATUS_TABLE.find((entry) => entry.status === status);
	if (documented) return documented;
	if (status < 300) return { status, ...SUCCESS };
	// "See Other": the result of a POST that was processed (RFC 9110, 15.4.4).
	if (status === 303) return { status, ...REDIRECT, hidesSuccess: 'always' };
	if (status < 400) return { status, ...REDIRECT };
	const code = `http_${status}`;
	const message = `The service returned the unexpected status ${status}`;
	// Payment Required: DeepSeek and OpenRouter say so when the balance is used up.
	if (status === 402) return { ...NO_QUOTA, status, code };
	// Unprocessable Content: FastAPI, with which many services are made, refuses a field so.
	if (status === 422) return { ...statusOf(400), status, code, codeInBetween: code };
	// With these, a server in between gives up waiting, and the outcome of the request is unknown.
	if (status === 408 || status === 425 || status > 503) {
		// Anthropic's overload.
		const hidesSuccess = status === 529 ? FAILURE.hidesSuccess : 'always';
		return { ...FAILURE, status, code, message, hidesSuccess };
	}
	return {
		status,
		code,
		message,
		advice: 'See the message from the service below, and check the Base URL in the credential.',
		adviceWithoutWords: 'Check the Base URL in the credential, and try again in a few minutes.',
	};
}

/** A refusal whose cause nobody but the service knows: it has a code of its own, or words that the status's own message contradicts. */
export function refusalUnknown(status: number, name: string | undefined): Status | undefined {
	if (![400, 401, 403, 404].includes(status)) return undefined;
	const message = `The service refused the request (${[status, name].join(' ').trim()})`;
	return {
		status,
		code: statusOf(status).code,
		message,
		advice:
			status === 401
				? 'See the message from the service below. If it is about the key, check the key in the Generation Service API credential.'
				: 'See the message from the service below.',
		adviceWithoutWords: 'The service says no more: see its documentation for what this code means.',
	};
}

/** What an error response of a server in between says. */
export function messageInBetween(status: number): Omit<Status, 'status'> {
	const { code, codeInBetween, isTransient } = statusOf(status);
	return {
		code: codeInBetween ?? code,
		message: `A server between n8n and the service responded with status ${status}`,
		advice: isTransient
			? 'The response does not have the format of the service. The server in between may be unable to reach the service, or may not wait long enough for it: ask its administrator.'
			: 'The response does not have the format of the service, so it says nothing about your request, key or account. Check the Base URL in the credential, and any proxy, firewall or login page between n8n and the service.',
	};
}
