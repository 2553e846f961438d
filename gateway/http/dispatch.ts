import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ReadableBody } from './body';
import { Connection } from './connection';
import { NeverSentError } from './connectionErrors';
import type { HttpRequest, HttpResponse } from './types';

/** A response whose body may still be compressed. */
export interface DispatchedResponse extends HttpResponse {
	body: ReadableBody;
}

/** How much of a body is buffered for its reader. */
const READ_AHEAD_BYTES = 64 * 1024;
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
	dispatcher: Dispatcher,
	options: Dispatcher.DispatchOptions,
	{ onWritten, whenGivenUp }: Pick<HttpRequest, 'onWritten' | 'whenGivenUp'>,
): Promise<DispatchedResponse> {
	return new Promise((resolve, reject) => {
		const handler = new ResponseHandler(resolve, reject, onWritten);
		whenGivenUp(() => handler.giveUp());
		dispatcher.dispatch(options, handler);
	});
}

class ResponseHandler implements Dispatcher.DispatchHandler {
	private controller: Dispatcher.DispatchController | undefined;
	private body: ArrivingBody | undefined;
	private givenUp: Error | undefined;

	constructor(
		private readonly resolve: (response: DispatchedResponse) => void,
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
		else this.reject(this.controller ? error : new NeverSentError(error));
	}
}

interface Reader {
	take(bytes: Buffer): void;
	end(error?: Error): void;
}

/** A body that arrives over a connection. */
class ArrivingBody implements ReadableBody {
	/** What arrived before there was a reader. */
	private readonly early: Buffer[] = [];
	private reader: Reader | undefined;
	private ended: { error: Error | undefined } | undefined;

	constructor(
		private readonly controller: Dispatcher.DispatchController,
		private connection: Connection | undefined,
	) {
		connection?.beginBody();
	}

	read(onBytes: (bytes: Buffer) => boolean | void): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			this.attach({
				take: (bytes) => {
					try {
						if (onBytes(bytes) !== false) return;
						resolve();
						this.destroy();
					} catch (error) {
						// A complete body has nothing left to destroy.
						reject(error as Error);
						this.destroy(error as Error);
					}
				},
				end: (error) => (error ? reject(error) : resolve()),
			});
		});
	}

	stream(): Readable {
		const readable = new Readable({
			highWaterMark: READ_AHEAD_BYTES,
			read: () => this.connection?.release(),
			destroy: (error, done) => {
				this.destroy();
				done(error);
			},
		});
		readable.on('error', () => {});
		this.attach({
			take: (bytes) => {
				if (readable.push(bytes)) return;
				this.connection?.hold();
				if (readable.readableLength > MAX_UNREAD_BYTES)
					this.destroy(new Error('The body arrives faster than it is read'));
			},
			end: (error) => (error ? readable.destroy(error) : readable.push(null)),
		});
		return readable;
	}

	destroy(error = new Error('The body is no longer read')): void {
		this.early.length = 0;
		if (this.ended) return;
		this.end(error);
		this.controller.abort(error);
	}

	arrive(bytes: Buffer): void {
		if (this.ended) return;
		if (this.reader) return this.reader.take(bytes);
		this.early.push(bytes);
	}

	end(error?: Error): void {
		if (this.ended) return;
		this.ended = { error };
		this.connection?.endBody();
		this.connection = undefined;
		this.reader?.end(error);
	}

	private attach(reader: Reader): void {
		this.reader = reader;
		for (let bytes = this.early.shift(); bytes; bytes = this.early.shift()) reader.take(bytes);
		if (this.ended) reader.end(this.ended.error);
	}
}
