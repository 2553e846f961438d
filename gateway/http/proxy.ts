import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { getProxyForUrl } from 'proxy-from-env';
import { invalidInput } from '../errors/gatewayError';
import { proxyFailed, proxyUnreachable } from '../errors/networkError';
import { openPool } from './connection';
import { CONNECT_TIMEOUT_MS } from './idleTimeout';
import type { TransportSettings } from './hostHelpers';

const PROTOCOLS = new Set(['http:', 'https:']);

/** The text of the n8n host's proxy variable for a URL, by the rules of n8n's own HTTP requests; empty without a proxy. */
export function proxyFor(url: string): string {
	// For a text, it would use `url.parse`, of which Node.js warns.
	return getProxyForUrl(new URL(url));
}

/** How requests get to a service. */
export interface Route {
	dispatcher: Dispatcher;
	/** Requests go to a proxy without a tunnel: then a response, and a failure to connect, may be the proxy's own. */
	isForwarded: boolean;
}

/**
 * Opens the connections to a service, directly or through a proxy. As in n8n itself, a proxy gets the requests to an http://
 * service, and sees the key; to an https:// service it opens a tunnel.
 * @param proxyUrl the value of {@link proxyFor}
 * @throws GatewayError when the variable is not a URL
 */
export function openRoute(
	{ origin, ignoreSslIssues, egressFilter }: TransportSettings,
	proxyUrl: string,
	keepAliveTimeout: number,
): Route {
	// Over HTTP/2 no request has a connection of its own, and one that breaks loses all that share it.
	const http1 = { allowH2: false };
	// The pool has no limit of connections: a request that waits in it would look like one in flight.
	const pool = { ...http1, keepAliveTimeout, factory: openPool };
	const timeout = CONNECT_TIMEOUT_MS;
	const tls = {
		...http1,
		// Where it is not set, NODE_TLS_REJECT_UNAUTHORIZED decides, as for n8n's own requests.
		...(ignoreSslIssues && { rejectUnauthorized: false }),
		// One for all connections: to make it takes as long as a request.
		secureContext: createSecureContext(),
		timeout,
	};
	if (proxyUrl === '') {
		const lookup = egressFilter && { lookup: egressFilter.createSecureLookup() };
		// One for all pools of the agent, so that a new pool resumes TLS sessions.
		const connect = buildConnector({ ...tls, ...lookup });
		return { dispatcher: new Agent({ ...pool, connect }), isForwarded: false };
	}
	const proxy = parseProxy(proxyUrl);
	if (origin.startsWith('http:')) {
		const agent = new Agent({ ...pool, connect: buildConnector({ ...http1, timeout }) });
		return { dispatcher: agent.compose(requestFrom(proxy)), isForwarded: true };
	}
	const dispatcher = new ProxyAgent({
		...pool,
		uri: proxy.href,
		requestTls: tls,
		proxyTls: http1,
		clientFactory: (_proxy, options) => openTunnels(proxy, options),
	});
	return { dispatcher, isForwarded: false };
}

/** Sends requests to a proxy in absolute form (RFC 9112, 3.2.2). */
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

/** Opens tunnels for undici's proxy agent, so that each failure of the proxy is one of the gateway's own errors. */
function openTunnels(proxy: URL, options: object): Pool {
	const pool = new Pool(proxy.origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS });
	const connect = pool.connect.bind(pool);
	return Object.assign(pool, {
		connect: async (tunnel: Dispatcher.ConnectOptions) => {
			const response = await connect(tunnel).catch(unreachable);
			if (response.statusCode === 200) return response;
			response.socket.on('error', () => {}).destroy();
			throw proxyFailed(response.statusCode);
		},
	});
}

function loginTo({ username, password }: URL): { 'proxy-authorization'?: string } {
	if (username === '' && password === '') return {};
	const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
	return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function unreachable(cause: unknown): never {
	throw proxyUnreachable(cause);
}

/** @throws GatewayError without the URL, which may contain a password */
function parseProxy(text: string): URL {
	try {
		const { protocol, username, password, host } = new URL(text);
		const login = `${username}:${password}`;
		if (PROTOCOLS.has(protocol) && host !== '' && decodeURIComponent(login))
			return new URL(`${protocol}//${login}@${host}`);
	} catch {
		// The message of this error has the password, too.
	}
	throw invalidInput(
		'proxy',
		'The proxy variable of the n8n host is not a valid URL',
		'Ask the administrator of this n8n instance to correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: http://user:password@host:port, with characters such as @ / : # in the password written as %40 %2F %3A %23. Nothing was sent to the service.',
	);
}
