import { causesOf, textOf } from '../errors/foreignErrors';
import { StreamedBody } from '../http/body';
import { isSsrfRefusal, NeverSentError } from '../http/connectionErrors';
import type {
	openTransport as OpenTransport,
	POSSIBLE_PROXY as PossibleProxy,
	whenConnectionIsFree as WhenConnectionIsFree,
} from '../http/transport';
import type { HelperResponse, HttpRequest, TransportSettings } from '../http/types';

/** Failures to look up a name and to agree on a certificate: a connection that carries one request has not taken it yet. */
const BEFORE_REQUEST =
	/^(ENOTFOUND|EAI_|ECONNREFUSED|CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** What Node.js says of a server that answers a TLS handshake without TLS, with the code EPROTO. */
const NO_TLS = /wrong version number/;

/** n8n's request helper does not tell a proxy's responses and failures from those of the service. */
export const POSSIBLE_PROXY: typeof PossibleProxy =
	' If n8n reaches the service through a proxy (HTTP_PROXY or HTTPS_PROXY of the n8n host), it may be the proxy that refused, failed or requires a login.';

/** To make one for each signal takes a fifth of a request's time: without a reason, Node.js makes one with its stack. */
const GIVEN_UP = new Error('The request was given up');

/** No connection is used again. */
export const whenConnectionIsFree: typeof WhenConnectionIsFree = (action) => action();

/** The transport over n8n's request helper, which opens a connection for each request. */
export const openTransport: typeof OpenTransport = (settings) => async (request) => {
	const giveUp = new AbortController();
	// The helper may be looking up a name, which no signal ends.
	const givenUp = new Promise<never>((_, reject) => {
		request.whenGivenUp(() => {
			giveUp.abort(GIVEN_UP);
			reject(GIVEN_UP);
		});
	});
	// The helper does not tell when the request is written, so it counts as written at once.
	request.onWritten();
	const response = await Promise.race([send(request, settings, giveUp.signal), givenUp]).catch(
		(error: unknown) => {
			throw toSendError(error);
		},
	);
	const { statusCode: status, headers, body } = response;
	// The stream is a wrapper: only a signal closes the connection.
	body.once('close', () => body.readableEnded || giveUp.abort(GIVEN_UP));
	return { status, headers: { ...headers }, body: new StreamedBody(body) };
};

async function send(
	{ method, origin, path, headers, body }: HttpRequest,
	{ httpRequest, ignoreSslIssues }: TransportSettings,
	abortSignal: AbortSignal,
): Promise<HelperResponse> {
	if (httpRequest === undefined) throw new Error('n8n lends no request helper here');
	return await httpRequest({
		method,
		url: origin + path,
		headers,
		...(body !== undefined && { body }),
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would take the key to another host.
		disableFollowRedirect: true,
		skipSslCertificateValidation: ignoreSslIssues,
		// The limit of time is the caller's; the helper's own is five minutes.
		timeout: 0,
		abortSignal,
	});
}

/** The helper's own error holds the whole request with its key, and is not passed on. */
function toSendError(error: unknown): Error {
	const causes = [...causesOf(error)];
	const message = textOf(error, 'message');
	const isNoTls = NO_TLS.test(message);
	const code = isNoTls ? 'ERR_SSL_WRONG_VERSION_NUMBER' : textOf(causes.at(-1), 'code');
	const plain = Object.assign(new Error(message), { code, name: textOf(error, 'name') });
	if (isSsrfRefusal(error)) plain.name = 'SsrfRefusal';
	const isNeverSent = isNoTls || isSsrfRefusal(error) || causes.some(precedesRequest);
	return isNeverSent ? new NeverSentError(plain) : plain;
}

function precedesRequest(cause: unknown): boolean {
	return textOf(cause, 'syscall') === 'connect' || BEFORE_REQUEST.test(textOf(cause, 'code'));
}
