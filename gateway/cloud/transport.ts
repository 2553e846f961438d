import { causesOf, isSsrfRefusal, NeverSentError, textOf } from '../errors/foreignErrors';
import { StreamedBody } from '../http/body';
import { GIVEN_UP, rejectWhenGivenUp } from '../http/idleTimeout';
import { requestThroughN8n } from '../http/requestHelper';
import type {
	openTransport as OpenTransport,
	POSSIBLE_PROXY as PossibleProxy,
	whenConnectionIsFree as WhenConnectionIsFree,
} from '../http/transport';

/** Failures to look up a name and to agree on a certificate: a connection that carries one request has not taken it yet. */
const BEFORE_REQUEST =
	/^(ENOTFOUND|EAI_|ECONNREFUSED|CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** What Node.js says of a server that answers a TLS handshake without TLS, with the code EPROTO. */
const NO_TLS = /wrong version number/;

/** n8n's request helper does not tell a proxy's responses and failures from those of the service. */
export const POSSIBLE_PROXY: typeof PossibleProxy =
	' If n8n reaches the service through a proxy (HTTP_PROXY or HTTPS_PROXY of the n8n host), it may be the proxy that refused, failed or requires a login.';

/** No connection is used again. */
export const whenConnectionIsFree: typeof WhenConnectionIsFree = (action) => action();

/** The transport over n8n's request helper, which opens a connection for each request. */
export const openTransport: typeof OpenTransport = (settings) => async (request) => {
	const { httpRequest, ignoreSslIssues } = settings;
	const { method, origin, path, headers, body: content } = request;
	const aborting = new AbortController();
	const abort = () => aborting.abort(GIVEN_UP);
	const givenUp = rejectWhenGivenUp(request, abort);
	// The helper does not tell when the request is written, so it counts as written at once.
	request.onWritten();
	const sent = { method, url: origin + path, headers, body: content, ignoreSslIssues };
	const responding = requestThroughN8n(httpRequest, sent, aborting.signal);
	const response = await Promise.race([responding, givenUp]).catch((error: unknown) => {
		throw toSendError(error);
	});
	const { statusCode: status, headers: received, body } = response;
	body.once('close', () => body.readableEnded || abort());
	return { status, headers: received, body: new StreamedBody(body) };
};

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
