import type { Dispatcher } from 'undici';
import { Body } from './body';
import { neverSent, proxyFailed, proxyUnreachable } from '../errors/networkError';
import { ACCEPTED_CODINGS, decompress } from './decompress';
import type { Route } from './proxy';
import type { HttpRequest, HttpResponse } from './types';

/**
 * Sends one request and resolves when the response headers have arrived. A request that is given up rejects at once, even
 * while it connects, and its connection is closed.
 *
 * undici's own `request` makes a Node.js stream of each body: for a chat, whose response is one piece, the stream and an
 * AbortSignal cost a quarter more CPU time.
 */
export async function dispatch(route: Route, request: HttpRequest): Promise<HttpResponse> {
	const { origin, path, method, headers, body = null, connection } = request;
	const options: Dispatcher.DispatchOptions = {
		origin,
		path,
		method,
		headers: { ...headers, 'accept-encoding': ACCEPTED_CODINGS },
		body,
		reset: connection === 'own',
		// The caller sets the time limits.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	const handler = new ResponseHandler(route, request.onWritten);
	request.whenGivenUp(() => handler.giveUp());
	route.dispatcher.dispatch(options, handler);
	return await handler.response;
}

class ResponseHandler implements Dispatcher.DispatchHandler {
	readonly response: Promise<HttpResponse>;
	private resolve!: (response: HttpResponse) => void;
	private reject!: (error: Error) => void;
	private controller: Dispatcher.DispatchController | undefined;
	private body: Body | undefined;
	private givenUp: Error | undefined;

	constructor(
		private readonly route: Route,
		private readonly onWritten: () => void,
	) {
		this.response = new Promise((resolve, reject) => {
			[this.resolve, this.reject] = [resolve, reject];
		});
	}

	giveUp(): void {
		this.givenUp = new Error('The request was given up');
		if (this.body) this.body.destroy(this.givenUp);
		else this.controller?.abort(this.givenUp);
		this.reject(this.givenUp);
	}

	/** A connection is ready: undici writes the request unless it is aborted now. */
	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.controller = controller;
		if (this.givenUp) controller.abort(this.givenUp);
		else this.onWritten();
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: HttpResponse['headers'],
	): void {
		// The final response follows an interim one.
		if (status < 200) return;
		const isOfProxy = status === 407 && this.route.isForwarded;
		if (isOfProxy) return controller.abort(proxyFailed(status));
		const body = new Body((reason) => controller.abort(reason));
		this.resolve({ status, headers, body: decompress(body, headers['content-encoding']) });
		this.body = body;
	}

	onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
		this.body?.arrive(bytes);
	}

	onResponseEnd(): void {
		this.body?.end();
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		if (this.body) return this.body.end(error);
		if (this.controller) return this.reject(error);
		this.reject(this.route.isForwarded ? proxyUnreachable(error) : neverSent(error));
	}
}
