import { causesOf, isObject, textOf } from '../errors/foreignErrors';
import { NeverSentError, ProxyError } from './connectionErrors';

/**
 * n8n's request helper connects through the proxies of the n8n host and does not say so: a proxy is recognised by a
 * connection to something else than the service.
 * @param error what the helper rejected with
 * @returns undefined if no proxy failed
 */
export function proxyFailure(error: unknown, origin: string): NeverSentError | undefined {
	const attempts = [...causesOf(error)].flatMap((cause) => [cause, ...attemptsIn(cause)]);
	const isProxys = attempts.some(
		(cause) => /^Proxy connection /.test(textOf(cause, 'message')) || isElsewhere(cause, origin),
	);
	return isProxys ? new NeverSentError(new ProxyError(undefined, error)) : undefined;
}

/**
 * The same for a response that the helper resolved to.
 * @param request the request of Node.js, if the helper hands it out: in a tunnel it is encrypted, a refused one is not
 */
export function proxyRefusal(
	status: number,
	origin: string,
	request?: unknown,
): NeverSentError | undefined {
	const isRefused =
		origin.startsWith('https:') && isObject(request) && isObject(request.socket)
			? request.socket.encrypted !== true
			: status === 407;
	return isRefused ? new NeverSentError(new ProxyError(status)) : undefined;
}

/** A host may have several addresses. */
function attemptsIn({ errors }: Record<string, unknown>): Array<Record<string, unknown>> {
	return Array.isArray(errors) ? errors.flatMap((error) => [...causesOf(error)]) : [];
}

function isElsewhere(cause: Record<string, unknown>, origin: string): boolean {
	const { protocol, hostname, port } = new URL(origin);
	const { syscall, address } = cause;
	if (syscall === 'getaddrinfo') return textOf(cause, 'hostname') !== hostname;
	if (syscall !== 'connect') return false;
	const servicePort = Number(port) || (protocol === 'https:' ? 443 : 80);
	const isAddress = /^[\d.]+$|:/.test(hostname);
	return cause.port !== servicePort || (isAddress && address !== hostname.replace(/^\[|\]$/g, ''));
}
