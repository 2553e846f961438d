import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { openPool } from './connection';
import { NeverSentError, ProxyError } from './connectionErrors';
import { parseProxy, proxyFor } from './proxyVariables';

/** How connections to a service are made without a proxy. */
export interface ConnectionOptions extends Omit<Agent.Options, 'connect' | 'factory'> {
	connect: buildConnector.BuildOptions & {
		/** Milliseconds in which a connection must be made. */
		timeout: number;
		rejectUnauthorized: boolean;
	};
}

/**
 * Opens connections to a service: directly, or through the proxy that the environment of the n8n host sets for it. As n8n
 * does, requests to a plain http:// service go to the proxy, which sees the request and its key; only for https:// the
 * proxy is asked for a tunnel.
 * @throws InvalidInputError when the variable is not a URL
 */
export function openDispatcher(service: string, options: ConnectionOptions): Dispatcher {
	const proxyUrl = proxyFor(service);
	if (proxyUrl === '') return new Agent({ ...options, factory: openPool });
	const proxy = parseProxy(proxyUrl);
	const { timeout, rejectUnauthorized } = options.connect;
	if (service.startsWith('http:') && proxy.protocol.startsWith('http')) {
		const connections = new Agent({ ...options, connect: { timeout }, factory: openPool });
		return connections.compose(requestFrom(proxy));
	}
	const agent = new ProxyAgent({
		...options,
		uri: proxy.href,
		factory: openPool,
		requestTls: { rejectUnauthorized, timeout },
		clientFactory: (_proxy, pool) => openTunnels(proxy, pool, timeout),
	});
	return proxy.protocol.startsWith('http') ? agent : agent.compose(throughSocks(proxy));
}

/** Tells a SOCKS proxy that is not there from a service that is not there: the failed connection has the proxy's port. */
function throughSocks({ port }: URL): Dispatcher.DispatcherComposeInterceptor {
	const isOfProxy = (error: Error) =>
		'syscall' in error &&
		error.syscall === 'connect' &&
		'port' in error &&
		String(error.port) === port;
	return (dispatch) => (request, handler) =>
		dispatch(
			request,
			new RelayedResponse(handler, (error) =>
				isOfProxy(error) ? new ProxyError(undefined, error) : error,
			),
		);
}

/** Requests in absolute form (RFC 9112, 3.2.2). */
function requestFrom(proxy: URL): Dispatcher.DispatcherComposeInterceptor {
	const login = loginTo(proxy);
	return (dispatch) => (request, handler) => {
		const { host } = new URL(String(request.origin));
		const forwarded = {
			...request,
			origin: proxy.origin,
			path: `${String(request.origin)}${request.path}`,
			headers: { ...request.headers, host, ...login },
			// Otherwise undici would expect the service's name in the proxy's certificate.
			servername: proxy.hostname,
		};
		return dispatch(forwarded, new ForwardedResponse(handler));
	};
}

/** Passes a response on, and its failure as what it means. */
class RelayedResponse implements Dispatcher.DispatchHandler {
	constructor(
		protected readonly handler: Dispatcher.DispatchHandler,
		private readonly meaningOf: (failure: Error) => Error,
	) {}

	onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
		this.handler.onRequestStart?.(controller, context);
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: Record<string, string | string[]>,
		statusText?: string,
	): void {
		this.handler.onResponseStart?.(controller, status, headers, statusText);
	}

	onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
		this.handler.onResponseData?.(controller, bytes);
	}

	onResponseEnd(
		controller: Dispatcher.DispatchController,
		trailers: Record<string, string | string[]>,
	): void {
		this.handler.onResponseEnd?.(controller, trailers);
	}

	onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
		this.handler.onResponseError?.(controller, this.meaningOf(error));
	}
}

/** Tells the proxy's own responses from those it forwards. */
class ForwardedResponse extends RelayedResponse {
	private isSent = false;

	constructor(handler: Dispatcher.DispatchHandler) {
		super(handler, (failure) => (this.isSent ? failure : new ProxyError(undefined, failure)));
	}

	override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
		this.isSent = true;
		super.onRequestStart(controller, context);
	}

	override onResponseStart(
		controller: Dispatcher.DispatchController,
		...response: [status: number, headers: Record<string, string | string[]>, statusText?: string]
	): void {
		// The proxy did not forward the request.
		if (response[0] === 407) controller.abort(new NeverSentError(new ProxyError(407)));
		else super.onResponseStart(controller, ...response);
	}
}

/**
 * Makes the connections to a proxy, for undici's proxy agent. On its own, that agent asks a proxy that hangs up for a tunnel
 * thousands of times a second, and omits a user name without a password.
 */
function openTunnels(proxy: URL, options: object, timeoutMs: number): Pool {
	const pool = new Pool(proxy.origin, { ...options, headersTimeout: timeoutMs });
	const connect = pool.connect.bind(pool);
	const login = loginTo(proxy);
	return Object.assign(pool, {
		connect: async (tunnel: Dispatcher.ConnectOptions) => {
			const headers = Object.assign({}, tunnel.headers, login);
			const response = await connect({ ...tunnel, headers }).catch(unreachable);
			if (response.statusCode === 200) return response;
			response.socket.on('error', () => {}).destroy();
			throw new ProxyError(response.statusCode);
		},
	});
}

function loginTo({ username, password }: URL): { 'proxy-authorization'?: string } {
	if (username === '' && password === '') return {};
	const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
	return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function unreachable(cause: unknown): never {
	throw new ProxyError(undefined, cause);
}
