import type { NodeCode } from './statuses';

/** An error of Node.js, undici or n8n: it is recognised by its fields, since it may come from another realm. */
type ForeignError = Record<string, unknown>;

/** An error, and what caused it. */
export function* causesOf(error: unknown): Generator<ForeignError> {
	for (let cause = error; isObject(cause); cause = cause.cause) yield cause;
}

/** A text of an error; empty without one. */
export function textOf(error: unknown, field: string): string {
	const text = isObject(error) ? error[field] : undefined;
	return typeof text === 'string' ? text : '';
}

export function isObject(value: unknown): value is ForeignError {
	return typeof value === 'object' && value !== null;
}

/** No connection was made: the service has not seen the request. */
export class NeverSentError extends Error {
	constructor(override readonly cause: unknown) {
		super('The request was never sent');
	}
}

/** The proxy did not reach the service: the service has not seen the request. */
export class ProxyError extends Error {
	readonly code: Extract<NodeCode, `proxy_${string}`>;

	constructor(
		/** The status of the proxy's response, if there was one. */
		readonly status?: number,
		cause?: unknown,
	) {
		super('The proxy did not reach the service', { cause });
		if (status === undefined) this.code = 'proxy_unreachable';
		// Some proxies, such as tinyproxy, use 401 for their own password.
		else this.code = status === 407 || status === 401 ? 'proxy_login' : 'proxy_refused';
	}
}

/** Whether n8n's SSRF protection refused an IP address or URL, at once or on a DNS lookup. */
export function isSsrfRefusal(error: unknown): boolean {
	return [...causesOf(error)].some((cause) => /ssrf/i.test(textOf(cause, 'name')));
}
