import { bugs } from '../../package.json';
import { formatSeconds } from './duration';
import { causesOf, isSsrfRefusal, textOf } from './foreignError';
import { forAnotherRequest, NoResponseError } from './gatewayError';
import { POSSIBLE_PROXY } from './proxyAdvice';
import { type NodeCode, statusOf, type SystemCode } from './statuses';

/** What happened, what to do, and whether the same request may succeed later. */
type Meaning = [message: string, advice: string, transient: boolean];

const CHECK_URL_AND_NETWORK = `Check the Base URL in the credential, and the network, firewall and proxy of the n8n host.${POSSIBLE_PROXY}`;
const TOO_SLOW: Meaning = ['Could not connect to the service in time', CHECK_URL_AND_NETWORK, true];
const UNKNOWN: Meaning = ['Could not connect to the service', CHECK_URL_AND_NETWORK, true];
const NO_ROUTE: Meaning = [
	'The service is unreachable from this n8n host',
	'Check the network, firewall and proxy of the n8n host.',
	true,
];
/** n8n refuses the URL at once, or its IP address at the DNS lookup. */
const BLOCKED: Meaning = [
	"n8n's SSRF protection blocks the URL of the service",
	'Ask the administrator of this n8n instance to allow it, or correct the Base URL in the credential.',
	false,
];
const NO_TLS: Meaning = [
	'Could not establish a secure connection to the service',
	"If the certificate is your company's or your own, set NODE_EXTRA_CA_CERTS on the n8n host to the file of its CA, then restart n8n. If the service has no TLS, the Base URL begins with http://. Only where neither is possible, turn on Ignore SSL Issues in the credential.",
	false,
];

/** Codes of Node.js for a failure to connect. */
export const NOT_CONNECTED: Record<string, Meaning> = {
	ECONNREFUSED: [
		'The service refused the connection',
		'Check the Base URL and its port in the credential, and that the service is running.',
		true,
	],
	ENOTFOUND: [
		"The service's host name could not be found",
		'Check the spelling of the Base URL in the credential, and the DNS of the n8n host.',
		false,
	],
	EAI_AGAIN: [
		"The service's host name could not be resolved right now",
		'Check the network and the DNS of the n8n host.',
		true,
	],
	EHOSTUNREACH: NO_ROUTE,
	ENETUNREACH: NO_ROUTE,
};

const LOST = {
	not_http: [
		'The server did not return a valid HTTP response',
		'Check the Base URL in the credential, and its port: a proxy or another server may be responding instead of the service.',
	],
	damaged_answer: [
		'The compressed response is damaged',
		'A proxy between n8n and the service may be damaging responses.',
	],
	connection_lost: [
		'The connection to the service was lost before the response was complete',
		`Check the network between n8n and the service.${POSSIBLE_PROXY}`,
	],
} satisfies Partial<Record<NodeCode, [message: string, advice: string]>>;

const PROXY_VARIABLES = 'HTTP_PROXY, HTTPS_PROXY and ALL_PROXY of the n8n host';

const TLS_CODE = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|^EPROTO$/;

/** Names of exceptions of code: of JavaScript, of undici about its arguments, of WebAssembly that the CPU cannot run. */
const FAULT = /^(Type|Range|Reference|Syntax|Assertion|InvalidArgument|Compile|Link|Runtime)Error$/;

/** Codes of Node.js's decompressors. */
const DAMAGED_CODE = /^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/;

/** undici's messages for bytes that are not HTTP, in errors without a code. */
const NOT_HTTP = /^(Response does not match the HTTP|bad response$|bad upgrade$)/;
/** Codes of the HTTP parsers of undici and Node.js. */
const NOT_HTTP_CODE = /^(UND_ERR_HEADERS_OVERFLOW$|HPE_)/;

/**
 * The error of a request that no connection took, so that the service has not seen it. One failure to connect may be that of
 * several requests.
 */
export function neverSent(cause: unknown): NoResponseError {
	if (cause instanceof NoResponseError) return forAnotherRequest(cause);
	return (
		notConnected(cause) ??
		faultOf(cause, false) ??
		unsent('no_connection', UNKNOWN, cause, textOf(cause, 'message'))
	);
}

/**
 * The error of a request whose transport failed.
 * @param paid whether the request is billable and was written to a connection
 */
export function toNetworkError(error: unknown, paid: boolean): NoResponseError {
	const fault = faultOf(error, paid);
	if (fault !== undefined) return fault;
	// A connection can be lost with the same code (EHOSTUNREACH, EPROTO) after the request was written, so a billable request
	// counts as sent unless its transport says that it never was.
	return (paid ? undefined : notConnected(error)) ?? connectionLost(error, paid);
}

/** No connection was made in time, so the request was not sent. */
export function connectTimeoutError(): NoResponseError {
	return unsent('connect_timeout', TOO_SLOW, undefined);
}

/** The error for a failure to connect; undefined for any other failure. */
function notConnected(cause: unknown): NoResponseError | undefined {
	if (isSsrfRefusal(cause)) return unsent('address_blocked', BLOCKED, cause);
	const code = codeOf(cause);
	if (code === 'UND_ERR_CONNECT_TIMEOUT') return connectTimeoutError();
	if (!isSystemCode(code)) return undefined;
	const known = NOT_CONNECTED[code];
	if (known !== undefined) {
		const [message, advice, transient] = known;
		return unsent(code, [message, advice + POSSIBLE_PROXY, transient], cause);
	}
	return TLS_CODE.test(code) ? unsent(code, NO_TLS, cause, textOf(cause, 'message')) : undefined;
}

function isSystemCode(code: string): code is SystemCode {
	return code === code.toUpperCase();
}

function unsent(
	code: NodeCode | SystemCode,
	[message, advice, transient]: Meaning,
	cause: unknown,
	technical?: string,
): NoResponseError {
	const record = { message, advice, code, technical, may_have_been_accepted: false };
	return new NoResponseError(record, { transient, cause });
}

/** The error for an exception of code, after which a retry would end in the same way; undefined for any other failure. */
function faultOf(cause: unknown, may_have_been_accepted: boolean): NoResponseError | undefined {
	const name = textOf(cause, 'name');
	if (!FAULT.test(name)) return undefined;
	return new NoResponseError(
		{
			message: 'The node failed because of a fault of its own, not of the network',
			advice: `Report it with the technical detail: ${bugs.url}`,
			code: 'node_error',
			technical: `${name}: ${textOf(cause, 'message')}`,
			may_have_been_accepted,
		},
		{ transient: false, cause },
	);
}

/** A connection took the request, and no complete response came back. */
function connectionLost(cause: unknown, may_have_been_accepted: boolean): NoResponseError {
	const technical = textOf(cause, 'message');
	const code = lossOf(codeOf(cause), technical);
	const [message, advice] = LOST[code];
	const record = { message, advice, code, technical, may_have_been_accepted };
	return new NoResponseError(record, { cause });
}

function lossOf(code: string, message: string): keyof typeof LOST {
	if (NOT_HTTP_CODE.test(code) || NOT_HTTP.test(message)) return 'not_http';
	return DAMAGED_CODE.test(code) ? 'damaged_answer' : 'connection_lost';
}

/**
 * The proxy did not reach the service, so the service has not seen the request. The technical detail may contain the host and
 * port of the proxy, never its user name or password.
 * @param status of the proxy's response, if there was one
 */
export function proxyFailed(status?: number, cause?: unknown): NoResponseError {
	const technical = textOf(cause, 'message');
	if (status === undefined) {
		const advice = `Check ${PROXY_VARIABLES}, and that the proxy is running.`;
		const meaning: Meaning = ['Could not connect to the proxy of the n8n host', advice, true];
		return unsent('proxy_unreachable', meaning, cause, technical);
	}
	const transient = statusOf(status).isTransient === true;
	// Some proxies, such as tinyproxy, use 401 for their own password.
	if (status === 407 || status === 401)
		return unsent(
			'proxy_login',
			[
				'The proxy of the n8n host requires a valid user name and password',
				`Correct ${PROXY_VARIABLES}: http://user:password@host:port.`,
				transient,
			],
			cause,
		);
	const [message, advice] =
		status >= 500
			? [
					`The proxy of the n8n host could not reach the service (status ${status})`,
					'Check the Base URL in the credential, and that the service is running. Ask the administrator of the proxy whether it can reach the service.',
				]
			: [
					`The proxy of the n8n host refused to connect to the service (status ${status})`,
					'Ask the administrator of the proxy to allow the host and port of the service, or add the host to NO_PROXY of the n8n host.',
				];
	return unsent('proxy_refused', [message, advice, transient], cause);
}

/**
 * The service took longer than the Timeout of the request options.
 * @param waitedFor the phase that took too long. In `content`, only bytes that keep the connection alive came
 */
export function timeoutError(
	waitedMs: number,
	paid: boolean,
	waitedFor: 'response' | 'body' | 'content',
): NoResponseError {
	const time = formatSeconds(waitedMs);
	const messages = {
		response: `The service did not respond within ${time}`,
		body: `The service stopped sending data for ${time}`,
		content: `The service kept the connection alive but sent no content for ${time}`,
	};
	return new NoResponseError({
		message: messages[waitedFor],
		advice: paid
			? 'Increase Timeout if the model needs longer.'
			: `${CHECK_URL_AND_NETWORK} If the service needs longer, increase Timeout of the node.`,
		code: 'timeout',
		may_have_been_accepted: paid,
	});
}

/** A response, or several, took longer than work in n8n's main process may. */
export function tooSlow(ms: number): NoResponseError {
	return new NoResponseError({
		message: `The service did not send its whole response within ${formatSeconds(ms)}`,
		advice: 'Try again in a few minutes.',
		code: 'timeout',
		may_have_been_accepted: false,
	});
}

/** The code of the innermost cause: undici wraps the error of a socket in its own. */
function codeOf(error: unknown): string {
	const codes = [...causesOf(error)].map((cause) => textOf(cause, 'code'));
	return codes.findLast(Boolean) ?? '';
}
