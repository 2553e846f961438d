import type { Dispatcher } from 'undici';
import { Exchange } from './exchange';
import type { Service } from './service';

type Handler = Dispatcher.DispatchHandler;

/** What the undici build has of undici, with the service in memory behind it. */
export function memoryUndici(service: Service) {
	return {
		Agent: class Agent {
			dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
				new DispatchedRequest(service, options, handler);
				return true;
			}

			async close(): Promise<void> {
				await Promise.resolve();
			}
		},
		Client: NoProxy,
		Pool: NoProxy,
		ProxyAgent: NoProxy,
		buildConnector: () => noSocket,
	};
}

/** Of the options of a client, which has the service itself. */
function noSocket(): void {
	throw new Error('No scenario has sockets.');
}

class NoProxy {
	constructor() {
		throw new Error('No scenario has a proxy.');
	}
}

/** One request of undici's client. */
class DispatchedRequest implements Dispatcher.DispatchController {
	aborted = false;
	paused = false;
	reason: Error | null = null;
	rawHeaders = null;
	rawTrailers = null;
	private isDone = false;
	private readonly exchange: Exchange;

	constructor(
		service: Service,
		{ origin, path, method, headers, body }: Dispatcher.DispatchOptions,
		private readonly handler: Handler,
	) {
		const request = {
			method: String(method),
			path,
			origin: String(origin),
			headers: headers as Record<string, string>,
			text: typeof body === 'string' ? body : '',
		};
		this.exchange = new Exchange(service, request, {
			onWritten: () => handler.onRequestStart?.(this, {}),
			onHead: (status, received) => handler.onResponseStart?.(this, status, received),
			onBytes: (bytes) => handler.onResponseData?.(this, bytes),
			onEnd: () => {
				this.isDone = true;
				handler.onResponseEnd?.(this, {});
			},
			onFailure: (error) => this.fail(error),
		});
		this.exchange.start();
	}

	abort(reason: Error): void {
		if (this.isDone) return;
		this.aborted = true;
		this.reason = reason;
		this.exchange.giveUp();
		this.fail(reason);
	}

	pause(): void {
		this.paused = true;
		this.exchange.pause();
	}

	resume(): void {
		this.paused = false;
		this.exchange.resume();
	}

	private fail(error: Error): void {
		if (this.isDone) return;
		this.isDone = true;
		this.handler.onResponseError?.(this, error);
	}
}
