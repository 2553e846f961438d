import { formatSeconds } from '../errors/formatDuration';
import { NoResponseError } from '../errors/gatewayError';
import { NeverSentError, ProxyError } from './connectionErrors';
import { isTransientStatus } from '../limits/retryPolicy';

const CHECK_NETWORK = 'Check the network, firewall and proxy of the n8n host.';
const CHECK_URL_AND_NETWORK =
	'Check the Base URL in the credential, and the network, firewall and proxy of the n8n host.';
const NO_ROUTE: [message: string, advice: string, transient: boolean] = [
	'There is no way to the service from here',
	CHECK_NETWORK,
	true,
];

/** Codes of failures to connect. */
const NOT_CONNECTED: Record<string, [message: string, advice: string, transient: boolean]> = {
	ECONNREFUSED: [
		'The service refuses connections',
		'Check the Base URL and its port in the credential, and that the service is running.',
		true,
	],
	ENOTFOUND: [
		"The service's address could not be found",
		'Check the spelling of the Base URL in the credential, and the DNS of the n8n host.',
		false,
	],
	EAI_AGAIN: [
		"The service's address could not be looked up right now",
		'Check the network and the DNS of the n8n host.',
		true,
	],
	EHOSTUNREACH: NO_ROUTE,
	ENETUNREACH: NO_ROUTE,
};

const PROXY_VARIABLES = 'HTTP_PROXY, HTTPS_PROXY and ALL_PROXY of the n8n host';

const TLS_CODE = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|^EPROTO$/;

/** What undici says of bytes that its parser does not take; such an error has no code. */
const NOT_HTTP = /^(Response does not match the HTTP|bad response$|bad upgrade$)/;

/**
 * Turns what undici, a decoder or a socket threw into a NoResponseError.
 * @param paid the request may create something that is charged, so the user must know whether it may have arrived
 */
export function toNetworkError(error: unknown, paid: boolean): NoResponseError {
	if (error instanceof NeverSentError)
		return notConnected(error.cause) ?? noConnection(error.cause);
	// A connection can be lost with the same code (EHOSTUNREACH, EPROTO) after the request was written: what is paid for
	// counts as sent unless a transport knows better.
	return (paid ? undefined : notConnected(error)) ?? lost(error, paid);
}

/** No connection was ready within the time that one has. The request was not sent. */
export function connectTimeoutError(): NoResponseError {
	return new NoResponseError('The service could not be reached in time', {
		code: 'connect_timeout',
		advice: CHECK_URL_AND_NETWORK,
		mayHaveBeenAccepted: false,
	});
}

function noConnection(cause: unknown): NoResponseError {
	return new NoResponseError('No connection to the service came about', {
		code: 'no_connection',
		advice: CHECK_URL_AND_NETWORK,
		technical: messageOf(cause),
		mayHaveBeenAccepted: false,
		cause,
	});
}

/** Failures that are known to come from connecting; undefined: any other. */
function notConnected(cause: unknown): NoResponseError | undefined {
	if (isSsrfRefusal(cause)) {
		return new NoResponseError("n8n's SSRF protection blocks the address of the service", {
			code: 'address_blocked',
			advice:
				'Ask the administrator of this n8n to allow the address, or correct the Base URL in the credential.',
			transient: false,
			mayHaveBeenAccepted: false,
			cause,
		});
	}
	if (cause instanceof ProxyError) return proxyFailed(cause);
	const code = codeOf(cause);
	if (code === 'UND_ERR_CONNECT_TIMEOUT') return connectTimeoutError();
	const known = NOT_CONNECTED[code];
	if (known !== undefined) {
		const [message, advice, transient] = known;
		return new NoResponseError(message, {
			code,
			advice,
			transient,
			mayHaveBeenAccepted: false,
			cause,
		});
	}
	if (!TLS_CODE.test(code)) return undefined;
	return new NoResponseError('No secure connection to the service could be made', {
		code,
		advice:
			'Check that the Base URL begins with the right http:// or https://. For a self-signed certificate that you trust, turn on Ignore SSL Issues in the credential.',
		technical: messageOf(cause),
		transient: false,
		mayHaveBeenAccepted: false,
		cause,
	});
}

/** A connection took the request, and no whole response came back. */
function lost(cause: unknown, paid: boolean): NoResponseError {
	const code = codeOf(cause);
	const technical = messageOf(cause);
	if (code === 'UND_ERR_HEADERS_OVERFLOW' || NOT_HTTP.test(technical ?? '')) {
		return new NoResponseError('The answer is not HTTP as it should be', {
			code: 'not_http',
			advice:
				'Check the Base URL in the credential, and its port: another server, or a proxy in between, may be answering in place of the service.',
			technical,
			mayHaveBeenAccepted: paid,
			cause,
		});
	}
	if (
		code.startsWith('Z_') ||
		code.startsWith('ERR__ERROR_FORMAT') ||
		code.startsWith('ERR_BROTLI')
	) {
		return new NoResponseError("The service's compressed answer is damaged", {
			code: 'damaged_answer',
			advice: 'A proxy between n8n and the service may be damaging answers.',
			mayHaveBeenAccepted: paid,
			cause,
		});
	}
	return new NoResponseError(
		'The connection to the service was lost before its answer was complete',
		{
			code: 'connection_lost',
			advice: 'Check the network between n8n and the service.',
			technical,
			mayHaveBeenAccepted: paid,
			cause,
		},
	);
}

/** The technical detail may name the proxy's host and port, and never its user. */
function proxyFailed(error: ProxyError): NoResponseError {
	const { code, status } = error;
	const told: Record<ProxyError['code'], [message: string, advice: string]> = {
		proxy_login: [
			'The proxy in front of n8n wants a user name and password, and does not take those it got',
			`Correct ${PROXY_VARIABLES}: http://user:password@host:port.`,
		],
		proxy_refused:
			status !== undefined && status >= 500
				? [
						`The proxy in front of n8n could not reach the service (status ${status})`,
						'Check the Base URL in the credential, and that the service is running. Ask who runs the proxy whether it can reach the service.',
					]
				: [
						`The proxy in front of n8n refuses to connect to the service (status ${status})`,
						'Ask who runs the proxy to allow the host and port of the service, or add the host to NO_PROXY of the n8n host.',
					],
		proxy_unreachable: [
			'The proxy in front of n8n could not be reached',
			`Check ${PROXY_VARIABLES}, and that the proxy is running.`,
		],
	};
	const [message, advice] = told[code];
	return new NoResponseError(message, {
		code,
		advice,
		technical: messageOf(error.cause),
		transient: status === undefined || isTransientStatus(status),
		mayHaveBeenAccepted: false,
		cause: error,
	});
}

/** The service took longer than the Timeout of the request options. */
export function timeoutError(timeoutMs: number, paid: boolean, during: 'response' | 'body') {
	const time = formatSeconds(timeoutMs);
	return new NoResponseError(
		during === 'response'
			? `The service did not answer within ${time}`
			: `The service fell silent for ${time} in the middle of its answer`,
		{
			code: 'timeout',
			advice: 'Raise Timeout if the model needs longer.',
			mayHaveBeenAccepted: paid,
		},
	);
}

/** Errors of Node.js are recognised by their fields: in an embedded n8n they may come from another realm. */
interface SystemError {
	code?: unknown;
	message?: unknown;
	cause?: unknown;
}

function codeOf(error: unknown): string {
	if (typeof error !== 'object' || error === null) return '';
	const { code, cause }: SystemError = error;
	const own = typeof code === 'string' ? code : '';
	// undici wraps a failed socket in an error of its own, with the first cause below it.
	const inner = cause === undefined || own.startsWith('UND_ERR_CONNECT') ? '' : codeOf(cause);
	return inner || own;
}

function messageOf(error: unknown): string | undefined {
	if (typeof error !== 'object' || error === null) return undefined;
	const { message }: SystemError = error;
	return typeof message === 'string' ? message.trim() : undefined;
}

/** Whether n8n's SSRF protection refused an address, when it was looked up or after a redirect. */
export function isSsrfRefusal(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	// axios wraps what happens after a redirect, and keeps the words alone.
	const refused = /^Redirected request failed: The request was blocked/.test(error.message);
	return refused || /ssrf/i.test(error.name) || isSsrfRefusal(error.cause);
}
