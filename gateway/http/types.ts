import { name, version } from '../../package.json';
import type { Body } from './body';

/** The User-Agent header of all requests. */
export const USER_AGENT = `${name}/${version}`;

/** The methods of the interface. */
export type Method = 'GET' | 'POST';

export interface HttpRequest {
	method: Method;
	origin: string;
	/** Path with query. */
	path: string;
	headers: Record<string, string>;
	body: string | undefined;
	/**
	 * `own`: a new connection for this request alone. `recent`: one that was used in the last seconds, if there is one.
	 * `pooled`: one that was used before, if there is one.
	 */
	connection: 'own' | 'recent' | 'pooled';
	/** Called when the request is written to a connection. From then on the service may have received it. */
	onWritten: () => void;
	/** Registers how to close the connection when the request is given up. */
	whenGivenUp: (close: () => void) => void;
}

export interface HttpResponse {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** Decompressed. */
	body: Body;
}

/**
 * Sends one request and resolves when the response headers have arrived. Follows no redirects, retries nothing.
 * Rejects with the error of `neverSent` only when the request was certainly not written.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;
