import { bugs } from '../../package.json';
import { formatSeconds } from './duration';
import { causesOf, isSsrfRefusal, foreignText } from './foreignError';
import { forAnotherRequest, noResponse, NoResponseError } from './gatewayError';
import { POSSIBLE_PROXY } from './proxyAdvice';
import type { SystemCode } from './nodeCodes';
import { statusOf } from './statuses';

const CHECK_URL_AND_NETWORK = `Check the Base URL in the credential, and the network, firewall and proxy of the n8n host.${POSSIBLE_PROXY}`;
const PROXY_VARIABLES = 'HTTP_PROXY, HTTPS_PROXY and ALL_PROXY of the n8n host';
const NO_ROUTE = {
	message: 'The service is unreachable from this n8n host',
	advice: `Check the network, firewall and proxy of the n8n host.${POSSIBLE_PROXY}`,
};

/** Codes of Node.js for a failure to connect. */
export const NOT_CONNECTED: Record<
	string,
	{ message: string; advice: string; transient?: boolean }
> = {
	ECONNREFUSED: {
		message: 'The service refused the connection',
		advice: `Check the Base URL and its port in the credential, and that the service is running.${POSSIBLE_PROXY}`,
	},
	ENOTFOUND: {
		message: "The service's host name could not be found",
		advice: `Check the spelling of the Base URL in the credential, and the DNS of the n8n host.${POSSIBLE_PROXY}`,
		transient: false,
	},
	EAI_AGAIN: {
		message: "The service's host name could not be resolved right now",
		advice: `Check the network and the DNS of the n8n host.${POSSIBLE_PROXY}`,
	},
	EHOSTUNREACH: NO_ROUTE,
	ENETUNREACH: NO_ROUTE,
};

const TLS_CODE = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|^EPROTO$/;

/** Names of exceptions of code: of JavaScript, of undici about its arguments, of WebAssembly that the CPU cannot run. */
const FAULT = /^(Type|Range|Reference|Syntax|Assertion|InvalidArgument|Compile|Link|Runtime)Error$/;

/** Codes of Node.js's decompressors. */
const DAMAGED_CODE = /^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/;

/** undici's messages for bytes that are not HTTP, in errors without a code. */
const NOT_HTTP = /^(Response does not match the HTTP|bad response$|bad upgrade$)/;
/** Codes of the HTTP parsers of undici and Node.js. */
const NOT_HTTP_CODE = /^(UND_ERR_HEADERS_OVERFLOW$|HPE_)/;

/** An error whose words tell more than its code. */
const withWords = (cause: unknown) => ({ cause, technical: foreignText(cause, 'message') });

/**
 * The error of a request that no connection took, so that the service has not seen it. One failure to connect may be that of
 * several requests.
 */
export function neverSent(cause: unknown): NoResponseError {
	if (cause instanceof NoResponseError) return forAnotherRequest(cause);
	const facts = { ...withWords(cause), isNeverSent: true };
	const message = 'Could not connect to the service';
	return (
		notConnected(cause) ??
		faultOf(cause, true) ??
		noResponse('no_connection', message, CHECK_URL_AND_NETWORK, facts)
	);
}

/**
 * The error of a request whose transport failed.
 * @param mayBeAccepted whether the request is billable and was written to a connection
 */
export function toNetworkError(error: unknown, mayBeAccepted: boolean): NoResponseError {
	const fault = faultOf(error, false);
	if (fault !== undefined) return fault;
	// A connection can be lost with the same code (EHOSTUNREACH, EPROTO) after the request was written, so a billable request
	// counts as sent unless its transport says that it never was.
	return (mayBeAccepted ? undefined : notConnected(error)) ?? connectionLost(error);
}

/** No connection was made in time, so the request was not sent. */
export function connectTimeoutError(): NoResponseError {
	const message = 'Could not connect to the service in time';
	return noResponse('connect_timeout', message, CHECK_URL_AND_NETWORK, { isNeverSent: true });
}

/** The error for a failure to connect; undefined for any other failure. */
function notConnected(cause: unknown): NoResponseError | undefined {
	const facts = { cause, isNeverSent: true };
	// n8n refuses the URL at once, or its IP address at the DNS lookup.
	if (isSsrfRefusal(cause))
		return noResponse(
			'address_blocked',
			"n8n's SSRF protection blocks the URL of the service",
			'Ask the administrator of this n8n instance to allow it, or correct the Base URL in the credential.',
			{ ...facts, transient: false },
		);
	const code = failureCode(cause);
	if (code === 'UND_ERR_CONNECT_TIMEOUT') return connectTimeoutError();
	if (!isSystemCode(code)) return undefined;
	const known = NOT_CONNECTED[code];
	if (known !== undefined) return new NoResponseError({ ...known, code, ...facts });
	if (!TLS_CODE.test(code)) return undefined;
	return noResponse(
		code,
		'Could not establish a secure connection to the service',
		"If the certificate is your company's or your own, set NODE_EXTRA_CA_CERTS on the n8n host to the file of its CA, then restart n8n. If the service has no TLS, the Base URL begins with http://. Only where neither is possible, turn on Ignore SSL Issues in the credential.",
		{ ...facts, ...withWords(cause), transient: false },
	);
}

function isSystemCode(code: string): code is SystemCode {
	return code === code.toUpperCase();
}

/** The error for an exception of code, after which a retry would end in the same way; undefined for any other failure. */
function faultOf(cause: unknown, isNeverSent: boolean): NoResponseError | undefined {
	const name = foreignText(cause, 'name');
	if (!FAULT.test(name)) return undefined;
	const technical = `${name}: ${foreignText(cause, 'message')}`;
	return noResponse(
		'node_error',
		'The node failed because of a fault of its own, not of the network',
		`Report it with the technical detail: ${bugs.url}`,
		{ technical, transient: false, isNeverSent, cause },
	);
}

/** A connection took the request, and no complete response came back. */
function connectionLost(cause: unknown): NoResponseError {
	const facts = withWords(cause);
	const code = failureCode(cause);
	if (NOT_HTTP_CODE.test(code) || NOT_HTTP.test(facts.technical))
		return noResponse(
			'not_http',
			'The server did not return a valid HTTP response',
			'Check the Base URL in the credential, and its port: a proxy or another server may be responding instead of the service.',
			facts,
		);
	if (DAMAGED_CODE.test(code))
		return noResponse(
			'damaged_answer',
			'The compressed response is damaged',
			'A proxy between n8n and the service may be damaging responses.',
			facts,
		);
	return noResponse(
		'connection_lost',
		'The connection to the service was lost before the response was complete',
		`Check the network between n8n and the service.${POSSIBLE_PROXY}`,
		facts,
	);
}

/** The proxy does not respond. The technical detail may contain its host and port, never its user name or password. */
export function proxyUnreachable(cause: unknown): NoResponseError {
	return noResponse(
		'proxy_unreachable',
		'Could not connect to the proxy of the n8n host',
		`Check ${PROXY_VARIABLES}, and that the proxy is running.`,
		{ ...withWords(cause), isNeverSent: true },
	);
}

/** The proxy did not reach the service, so the service has not seen the request. */
export function proxyFailed(status: number): NoResponseError {
	const facts = { isNeverSent: true, transient: statusOf(status).isTransient === true };
	// Some proxies, such as tinyproxy, use 401 for their own password.
	if (status === 407 || status === 401)
		return noResponse(
			'proxy_login',
			'The proxy of the n8n host requires a valid user name and password',
			`Correct ${PROXY_VARIABLES}: http://user:password@host:port.`,
			facts,
		);
	if (status < 500)
		return noResponse(
			'proxy_refused',
			`The proxy of the n8n host refused to connect to the service (status ${status})`,
			'Ask the administrator of the proxy to allow the host and port of the service, or add the host to NO_PROXY of the n8n host.',
			facts,
		);
	return noResponse(
		'proxy_refused',
		`The proxy of the n8n host could not reach the service (status ${status})`,
		'Check the Base URL in the credential, and that the service is running. Ask the administrator of the proxy whether it can reach the service.',
		facts,
	);
}

/**
 * The service took longer than Timeout (in Options).
 * @param waitedFor the phase that took too long. In `content`, only bytes that keep the connection alive came, in `flow` too few
 */
export function timeoutError(
	waitedMs: number,
	isBillable: boolean,
	waitedFor: 'response' | 'body' | 'content' | 'flow',
): NoResponseError {
	const time = formatSeconds(waitedMs);
	const messages = {
		response: `The service did not respond within ${time}`,
		body: `The service stopped sending data for ${time}`,
		content: `The service kept the connection alive but sent no content for ${time}`,
		flow: `The service sent less than 64 kB of its response in a minute, for ${time}`,
	};
	const advice = isBillable
		? 'Increase Timeout if the model needs longer.'
		: `${CHECK_URL_AND_NETWORK} If the service needs longer, increase Timeout of the node.`;
	return noResponse('timeout', messages[waitedFor], advice);
}

/** A response, or several, took longer than work in n8n's main process may. */
export function tooSlow(ms: number): NoResponseError {
	const message = `The service did not send its whole response within ${formatSeconds(ms)}`;
	return noResponse('timeout', message, 'Try again in a few minutes.');
}

/** The code of the innermost cause: undici wraps the error of a socket in its own. */
function failureCode(error: unknown): string {
	const codes = [...causesOf(error)].map((cause) => foreignText(cause, 'code'));
	return codes.findLast(Boolean) ?? '';
}
