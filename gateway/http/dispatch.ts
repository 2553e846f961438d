import type { Dispatcher } from 'undici';
import { Body } from './body';
import { neverSent, proxyFailed, proxyUnreachable } from '../errors/networkError';
import { ACCEPTED_CODINGS, decompress } from './decompress';
import { GIVEN_UP } from './idleTimeout';
import type { Route } from './proxy';
import type { HttpRequest, HttpResponse } from './types';

/**
 * Sends one request and resolves when the response headers have arrived. A request that is given up rejects at once, even
 * while it connects, and its connection is closed.
 *
 * undici's own `request` makes a Node.js stream of each body: for a chat, whose response is one piece, the stream and an
 * AbortSignal cost a quarter more CPU time.
 */
export function dispatch(
	{ dispatcher, isForwarded }: Route,
	request: HttpRequest,
): Promise<HttpResponse> {
	const { origin, path, method, headers, body: content = null, connection } = request;
	const options: Dispatcher.DispatchOptions = {
		origin,
		path,
		method,
		headers: { ...headers, 'accept-encoding': ACCEPTED_CODINGS },
		body: content,
		reset: connection === 'own',
		// The caller sets the time limits.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
	let controller: Dispatcher.DispatchController | undefined;
	let body: Body | undefined;
	let isGivenUp = false;
	request.whenGivenUp(() => {
		isGivenUp = true;
		if (body) body.destroy(GIVEN_UP);
		else controller?.abort(GIVEN_UP);
		reject(GIVEN_UP);
	});
	dispatcher.dispatch(options, {
		/** A connection is ready: undici writes the request unless it is aborted now. */
		onRequestStart(started) {
			controller = started;
			if (isGivenUp) started.abort(GIVEN_UP);
			else request.onWritten();
		},
		onResponseStart(started, status, received) {
			// The final response follows an interim one.
			if (status < 200) return;
			if (status === 407 && isForwarded) return started.abort(proxyFailed(status));
			body = new Body((reason) => started.abort(reason));
			const coding = received['content-encoding'];
			resolve({ status, headers: received, body: decompress(body, coding) });
		},
		onResponseData(_controller, bytes) {
			body?.arrive(bytes);
		},
		onResponseEnd() {
			body?.end();
		},
		onResponseError(_controller, error) {
			if (body) return body.end(error);
			if (controller) return reject(error);
			reject(isForwarded ? proxyUnreachable(error) : neverSent(error));
		},
	});
	return promise;
}
