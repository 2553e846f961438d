/** No connection came about: the service has not seen the request. */
export class NeverSentError extends Error {
	constructor(override readonly cause: Error) {
		super('The request was never sent');
	}
}

/** The proxy did not open a way to the service: the request has not left. */
export class ProxyError extends Error {
	readonly code: 'proxy_login' | 'proxy_refused' | 'proxy_unreachable';

	constructor(
		/** What the proxy answered, if it did. */
		readonly status?: number,
		cause?: unknown,
	) {
		super('The proxy opened no way to the service', { cause });
		if (status === undefined) this.code = 'proxy_unreachable';
		else this.code = status === 407 ? 'proxy_login' : 'proxy_refused';
	}
}
