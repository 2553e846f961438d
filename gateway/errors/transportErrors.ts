import type { NodeCode } from './statuses';

/** An error of Node.js, undici or n8n may come from another realm, so its fields tell what it is. */
type Fields = Record<string, unknown>;

/** An error and its causes, the last of which came first. */
export function* causesOf(error: unknown): Generator<Fields> {
	for (let cause = error; isObject(cause); cause = cause.cause) yield cause;
}

/** A field of an error; empty if it is not a text. */
export function textOf(error: unknown, field: string): string {
	const text = isObject(error) ? error[field] : undefined;
	return typeof text === 'string' ? text : '';
}

export function isObject(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null;
}

/** No connection was made, so the service has not seen the request. */
export class NeverSentError extends Error {
	constructor(override readonly cause: unknown) {
		super('The request was never sent');
	}
}

/** The proxy did not reach the service, so the service has not seen the request. */
export class ProxyError extends Error {
	readonly code: Extract<NodeCode, `proxy_${string}`>;

	constructor(
		/** Of the proxy's response, if there was one. */
		readonly status?: number,
		cause?: unknown,
	) {
		super('The proxy did not reach the service', { cause });
		if (status === undefined) this.code = 'proxy_unreachable';
		// Some proxies, such as tinyproxy, use 401 for their own password.
		else this.code = status === 407 || status === 401 ? 'proxy_login' : 'proxy_refused';
	}
}

/** Whether n8n's SSRF protection refused a URL, or an IP address at a DNS lookup. */
export function isSsrfRefusal(error: unknown): boolean {
	return [...causesOf(error)].some((cause) => /ssrf/i.test(textOf(cause, 'name')));
}
