import { InvalidInputError } from '../errors/gatewayError';

const PROTOCOLS = new Set(['http:', 'https:', 'socks5:', 'socks:']);
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy that the environment of the n8n host sets for a URL, unparsed; empty if there is none. The rules are
 * those of n8n's own HTTP requests (the package proxy-from-env): HTTP_PROXY is for http:// alone and HTTPS_PROXY for
 * https://, ALL_PROXY for both, and a proxy without a protocol has that of the URL.
 */
export function proxyFor(url: string): string {
	const { protocol, hostname, port } = new URL(url);
	if (isExempt(hostname, port || (DEFAULT_PORTS[protocol] ?? ''))) return '';
	const scheme = protocol.slice(0, -1);
	const proxy =
		variable(`npm_config_${scheme}_proxy`) ||
		variable(`${scheme}_proxy`) ||
		variable('npm_config_proxy') ||
		variable('all_proxy');
	return proxy === '' || proxy.includes('://') ? proxy : `${scheme}://${proxy}`;
}

/** Whether NO_PROXY lists the host: `host` and `host:port` match exactly, `.host` and `*host` by suffix, `*` always. */
function isExempt(hostname: string, port: string): boolean {
	const entries = variable('npm_config_no_proxy') || variable('no_proxy');
	return entries
		.toLowerCase()
		.split(/[,\s]+/)
		.filter(Boolean)
		.some((entry) => {
			const [, name = entry, onlyPort = port] = /^(.+):(\d+)$/.exec(entry) ?? [];
			if (onlyPort !== port) return false;
			return /^[.*]/.test(name) ? hostname.endsWith(name.replace(/^\*/, '')) : hostname === name;
		});
}

function variable(name: string): string {
	return (process.env[name] || process.env[name.toUpperCase()] || '').trim();
}

/** @throws InvalidInputError without the URL, which may contain a password */
export function parseProxy(text: string): URL {
	if (!URL.canParse(text)) throw unusable();
	const { protocol, username, password, host } = new URL(text);
	const login = [username, password].filter(Boolean).join(':');
	if (!PROTOCOLS.has(protocol) || host === '' || !isEncoded(login)) throw unusable();
	return new URL(`${protocol}//${login && `${login}@`}${host}`);
}

function isEncoded(text: string): boolean {
	try {
		return decodeURIComponent(text) !== undefined;
	} catch {
		return false;
	}
}

function unusable() {
	return new InvalidInputError(
		'proxy',
		'The proxy variable of the n8n host is not a valid URL',
		'Ask the administrator of this n8n instance to correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: http://user:password@host:port, with characters such as @ / : # in the password written as %40 %2F %3A %23. Nothing was sent to the service.',
	);
}
