/** No connection came about: the service has not seen the request. */
export class NeverSentError extends Error {
	constructor(override readonly cause: Error) {
		super('The request was never sent');
	}
}

/** The proxy did not lead to the service: the service has not seen the request. */
export class ProxyError extends Error {
	readonly code: 'proxy_login' | 'proxy_refused' | 'proxy_unreachable';

	constructor(
		/** What the proxy answered, if it did. */
		readonly status?: number,
		cause?: unknown,
	) {
		super('The proxy did not lead to the service', { cause });
		if (status === undefined) this.code = 'proxy_unreachable';
		// Some proxies say 401 for their own password, such as tinyproxy.
		else this.code = status === 407 || status === 401 ? 'proxy_login' : 'proxy_refused';
	}
}
