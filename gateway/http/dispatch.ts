import type { Dispatcher } from 'undici';
import type { Body, TakeBytes } from './body';
import { Connection } from './connection';
import { NeverSentError, ProxyError } from './connectionErrors';
import type { Route } from './proxy';
import type { HttpRequest, HttpResponse } from './types';

/** What a connection that cannot be held may be ahead of its reader. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/**
 * Sends one request and resolves when the response headers have arrived. Given up, it rejects at once, even while the
 * connection is being made, and closes it.
 *
 * undici's own `request` makes a Node.js stream of every body: for a chat, whose response is one piece, that and
 * an AbortSignal cost a quarter more CPU time.
 */
export function dispatch(
	route: Route,
	options: Dispatcher.DispatchOptions,
	{ onWritten, whenGivenUp }: Pick<HttpRequest, 'onWritten' | 'whenGivenUp'>,
): Promise<HttpResponse> {
	return new Promise((resolve, reject) => {
		const handler = new ResponseHandler(route, resolve, reject, onWritten);
		whenGivenUp(() => handler.giveUp());
		route.dispatcher.dispatch(options, handler);
	});
}

class ResponseHandler implements Dispatcher.DispatchHandler {
	private controller: Dispatcher.DispatchController | undefined;
	private body: ArrivingBody | undefined;
	private givenUp: Error | undefined;

	constructor(
		private readonly route: Route,
		private readonly resolve: (response: HttpResponse) => void,
		private readonly reject: (error: Error) => void,
		private readonly onWritten: () => void,
	) {}

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
		// An interim response: the final one follows.
		if (status < 200) return;
		const isOfProxy = status === 407 && this.route.isForwarded;
		if (isOfProxy) return controller.abort(new NeverSentError(new ProxyError(status)));
		this.body = new ArrivingBody(controller, Connection.current);
		this.resolve({ status, headers, body: this.body });
	}

	onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
		this.body?.arrive(bytes);
	}

	onResponseEnd(): void {
		this.body?.end();
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		if (this.body) this.body.end(error);
		else this.reject(this.controller ? error : new NeverSentError(this.route.meaningOf(error)));
	}
}

interface Reader {
	take(bytes: Buffer): void;
	end(error?: Error): void;
}

/** A body that arrives over a connection. */
class ArrivingBody implements Body {
	/** What arrived while there was no reader. */
	private readonly unread: Buffer[] = [];
	private unreadBytes = 0;
	private reader: Reader | undefined;
	private ended: { error: Error | undefined } | undefined;

	constructor(
		private readonly controller: Dispatcher.DispatchController,
		private connection: Connection | undefined,
	) {
		connection?.beginBody();
	}

	read(take: TakeBytes): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			const fail = (error: unknown) => {
				reject(error as Error);
				// A complete body has nothing left to destroy.
				this.destroy(error as Error);
			};
			const reader: Reader = {
				take: (bytes) => {
					try {
						const taken = take(bytes);
						if (taken === false) {
							resolve();
							this.destroy();
						} else if (taken instanceof Promise) {
							this.hold();
							taken.then(() => this.attach(reader), fail);
						}
					} catch (error) {
						fail(error);
					}
				},
				end: (error) => (error ? reject(error) : resolve()),
			};
			this.attach(reader);
		});
	}

	destroy(error?: Error): void {
		this.unread.length = 0;
		if (this.ended) return;
		const reason = error ?? new Error('The body is no longer read');
		this.end(reason);
		this.controller.abort(reason);
	}

	arrive(bytes: Buffer): void {
		if (this.ended) return;
		if (this.reader) return this.reader.take(bytes);
		this.unread.push(bytes);
		this.unreadBytes += bytes.length;
		if (this.unreadBytes > MAX_UNREAD_BYTES)
			this.destroy(new Error('The body arrives faster than it is read'));
	}

	end(error?: Error): void {
		if (this.ended) return;
		this.ended = { error };
		this.connection?.endBody();
		this.connection = undefined;
		this.reader?.end(error);
	}

	/** Lets the other side wait until there is a reader again. */
	private hold(): void {
		this.reader = undefined;
		this.connection?.hold();
	}

	private attach(reader: Reader): void {
		this.reader = reader;
		this.connection?.release();
		while (this.reader) {
			const bytes = this.unread.shift();
			if (bytes === undefined) break;
			this.unreadBytes -= bytes.length;
			reader.take(bytes);
		}
		if (this.ended) this.reader?.end(this.ended.error);
	}
}
