import { causesOf, isSsrfRefusal, foreignText } from '../errors/foreignError';
import { neverSent } from '../errors/networkError';
import { StreamedBody } from './body';
import { requestThroughN8n, type TransportSettings } from './hostHelpers';
import { GIVEN_UP, unlessGivenUp } from './idleTimeout';
import type { Transport } from './types';

/** Codes of a failed DNS lookup or certificate check, before the request of a new connection is written. */
const BEFORE_REQUEST =
	/^(ENOTFOUND|EAI_|ECONNREFUSED|CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** In Node.js's message, with the code EPROTO, for a server that answers a TLS handshake without TLS. */
const NO_TLS = /wrong version number/;

type HelperSettings = Pick<TransportSettings, 'httpRequest' | 'ignoreSslIssues'>;

/** The transport over n8n's request helper, which opens a connection for each request. */
export const helperTransport =
	({ httpRequest, ignoreSslIssues }: HelperSettings): Transport =>
	async (request) => {
		const { method, origin, path, headers, body: content } = request;
		const aborting = new AbortController();
		const abort = () => aborting.abort(GIVEN_UP);
		// The helper does not tell when it writes the request, so the request counts as written at once.
		request.onWritten();
		const responding = requestThroughN8n(httpRequest, {
			...{ method, url: origin + path, headers, body: content },
			skipSslCertificateValidation: ignoreSslIssues,
			abortSignal: aborting.signal,
		});
		const response = await unlessGivenUp(request, responding, abort).catch((error: unknown) => {
			throw toSendError(error);
		});
		const { statusCode: status, headers: received, body } = response;
		if (status < 100) {
			abort();
			throw new Error(`Response does not match the HTTP/1.1 protocol: status ${status}`);
		}
		return { status, headers: received, body: new StreamedBody(body, abort) };
	};

/** The helper's own error contains the whole request with the key, so another error is thrown. */
function toSendError(error: unknown): Error {
	const causes = [...causesOf(error)];
	const message = foreignText(error, 'message');
	const isNoTls = NO_TLS.test(message);
	const code = isNoTls ? 'ERR_SSL_WRONG_VERSION_NUMBER' : foreignText(causes.at(-1), 'code');
	const plain = Object.assign(new Error(message), { code, name: foreignText(error, 'name') });
	if (isSsrfRefusal(error)) plain.name = 'SsrfRefusal';
	const isNeverSent = isNoTls || isSsrfRefusal(error) || causes.some(precedesRequest);
	return isNeverSent ? neverSent(plain) : plain;
}

function precedesRequest(cause: unknown): boolean {
	return (
		foreignText(cause, 'syscall') === 'connect' || BEFORE_REQUEST.test(foreignText(cause, 'code'))
	);
}
