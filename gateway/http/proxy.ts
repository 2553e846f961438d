import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { getProxyForUrl } from 'proxy-from-env';
import { InvalidInputError } from '../errors/gatewayError';
import { openPool } from './connection';
import { ProxyError } from '../errors/transportErrors';
import { CONNECT_TIMEOUT_MS } from './idleTimeout';
import type { TransportSettings } from './hostHelpers';

const PROTOCOLS = new Set(['http:', 'https:']);

/**
 * The proxy that the environment of the n8n host sets for a URL, unparsed, by the rules of n8n's own HTTP requests; empty if
 * there is none.
 */
export function proxyFor(url: string): string {
	// A text would be parsed with an old function that Node.js warns of.
	return getProxyForUrl(new URL(url));
}

/** How requests get to a service. */
export interface Route {
	dispatcher: Dispatcher;
	/** A proxy gets the requests themselves: a response may be its own, and the connection is one to the proxy. */
	isForwarded: boolean;
}

/**
 * Opens connections to services: directly, or through the proxy that the environment of the n8n host sets for them. As n8n
 * does, requests to a plain http:// service go to the proxy, which sees the request and its key; only for https:// the
 * proxy is asked for a tunnel.
 * @param proxyUrl as {@link proxyFor} tells it
 * @throws InvalidInputError when the variable is not a URL
 */
export function openRoute(
	{ origin, ignoreSslIssues, egressFilter }: TransportSettings,
	proxyUrl: string,
	keepAliveTimeout: number,
): Route {
	// Without a limit of its own: a request that waits in undici's pool could not be told from one in flight.
	const pool = { keepAliveTimeout, factory: openPool };
	const timeout = CONNECT_TIMEOUT_MS;
	const tls = {
		// Undefined leaves it to NODE_TLS_REJECT_UNAUTHORIZED, as n8n's own requests do.
		...(ignoreSslIssues && { rejectUnauthorized: false }),
		// To make one for each connection takes as long as a request.
		secureContext: createSecureContext(),
		timeout,
	};
	if (proxyUrl === '') {
		const lookup = egressFilter && { lookup: egressFilter.createSecureLookup() };
		// For all pools that the agent makes: TLS sessions are resumed when it makes another one.
		const connect = buildConnector({ ...tls, ...lookup });
		return { dispatcher: new Agent({ ...pool, connect }), isForwarded: false };
	}
	const proxy = parseProxy(proxyUrl);
	if (origin.startsWith('http:')) {
		const agent = new Agent({ ...pool, connect: { timeout } });
		return { dispatcher: agent.compose(requestFrom(proxy)), isForwarded: true };
	}
	const dispatcher = new ProxyAgent({
		...pool,
		uri: proxy.href,
		requestTls: tls,
		clientFactory: (_proxy, options) => openTunnels(proxy, options),
	});
	return { dispatcher, isForwarded: false };
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
		return dispatch(forwarded, handler);
	};
}

/**
 * Makes the connections to a proxy, for undici's proxy agent. On its own, that agent asks a proxy that hangs up for a tunnel
 * thousands of times a second, and omits a user name without a password.
 */
function openTunnels(proxy: URL, options: object): Pool {
	const pool = new Pool(proxy.origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS });
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

/** @throws InvalidInputError without the URL, which may contain a password */
function parseProxy(text: string): URL {
	try {
		const { protocol, username, password, host } = new URL(text);
		const login = `${username}:${password}`;
		if (PROTOCOLS.has(protocol) && host !== '' && decodeURIComponent(login))
			return new URL(`${protocol}//${login}@${host}`);
	} catch {
		// It has the password, too.
	}
	throw unusable();
}

function unusable() {
	return new InvalidInputError(
		'proxy',
		'The proxy variable of the n8n host is not a valid URL',
		'Ask the administrator of this n8n instance to correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: http://user:password@host:port, with characters such as @ / : # in the password written as %40 %2F %3A %23. Nothing was sent to the service.',
	);
}
