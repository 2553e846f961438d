import type { LookupFunction } from 'node:net';
import type { Body } from './body';

/** The part of n8n's egress filter (SSRF protection) used here. */
export interface EgressFilter {
	/** A DNS lookup that refuses the IP addresses n8n blocks. */
	createSecureLookup(): LookupFunction;
	/** Rejects, or resolves to a result that is not ok, for a URL that n8n blocks. */
	validateUrl(url: string | URL): Promise<unknown>;
}

export interface HttpRequest {
	method: 'GET' | 'POST';
	origin: string;
	/** Path with query. */
	path: string;
	headers: Record<string, string>;
	body: string | undefined;
	/** `own`: a new connection for this request alone. `pooled`: a reused one, if there is one. */
	connection: 'own' | 'pooled';
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
 * Rejects with a NeverSentError only when the request was certainly not written.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export interface TransportSettings {
	origin: string;
	ignoreSslIssues: boolean;
	egressFilter?: EgressFilter | undefined;
}
