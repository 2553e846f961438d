import type { Dispatcher, Pool } from 'undici';
import { InvalidInputError } from '../errors/gatewayError';
import { ProxyError } from './connectionErrors';

/** Where n8n's variables lead the requests; an empty text: straight to the service. */
export interface Proxies {
	httpProxy: string;
	httpsProxy: string;
}

const PROTOCOLS = new Set(['http:', 'https:', 'socks5:', 'socks:']);

/** The proxy variables of the n8n host, also those of which undici knows nothing. A pool reads them once. */
export function proxyVariables(): { http: string; https: string; none: string } {
	const all = variable('all_proxy');
	return {
		http: variable('http_proxy') || all,
		https: variable('https_proxy') || all,
		none: variable('no_proxy'),
	};
}

function variable(name: string): string {
	return (process.env[name] || process.env[name.toUpperCase()] || '').trim();
}

/** @throws InvalidInputError, which does not repeat the address: it may hold a password */
export function readProxies(): Proxies {
	const { http, https } = proxyVariables();
	return { httpProxy: proxyAddress(http), httpsProxy: proxyAddress(https) };
}

/** A bare host and port, as n8n takes them too, is a proxy that speaks plain HTTP. */
function proxyAddress(text: string): string {
	if (text === '') return '';
	const address = text.includes('://') ? text : `http://${text}`;
	if (!URL.canParse(address)) throw noAddress();
	const { protocol, username, password, host } = new URL(address);
	const login = [username, password].filter(Boolean).join(':');
	if (!PROTOCOLS.has(protocol) || host === '' || !isEncoded(login)) throw noAddress();
	return `${protocol}//${login && `${login}@`}${host}`;
}

function isEncoded(text: string): boolean {
	try {
		return decodeURIComponent(text) !== undefined;
	} catch {
		return false;
	}
}

function noAddress() {
	return new InvalidInputError(
		'proxy',
		'The proxy variable of the n8n host is not an address',
		'Ask the administrator of this n8n to correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: http://user:password@host:port, with signs such as @ / : # in the password written as %40 %2F %3A %23. Nothing was sent to the service.',
	);
}

/**
 * Makes the connections to a proxy, for undici's proxy agent. By itself that agent asks a proxy that hangs up for a way
 * again and again, thousands of times a second, and leaves out a name that has no password.
 */
export function proxyPools(PoolClass: typeof Pool): (proxy: URL, options: object) => Pool {
	return ({ origin, username, password }, options) => {
		const pool = new PoolClass(origin, options);
		const connect = pool.connect.bind(pool);
		const login = username !== '' && password === '' && basicLogin(username);
		return Object.assign(pool, {
			connect: async (way: Dispatcher.ConnectOptions) => {
				const headers = Object.assign({}, way.headers, login && { 'proxy-authorization': login });
				const answer = await connect({ ...way, headers }).catch(unreachable);
				if (answer.statusCode === 200) return answer;
				answer.socket.on('error', () => {}).destroy();
				throw new ProxyError(answer.statusCode);
			},
		});
	};
}

function basicLogin(username: string): string {
	return `Basic ${Buffer.from(`${decodeURIComponent(username)}:`).toString('base64')}`;
}

function unreachable(cause: unknown): never {
	throw new ProxyError(undefined, cause);
}
