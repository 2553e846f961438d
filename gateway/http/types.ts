import type { LookupFunction } from 'node:net';
import type { Body } from './body';

/** n8n's egress filter (SSRF protection), as far as it matters here. */
export interface EgressFilter {
	/** A DNS lookup that refuses the addresses n8n blocks. */
	createSecureLookup(): LookupFunction;
	/** Rejects, or resolves to an outcome that is not ok, for an address that n8n blocks. */
	validateUrl(url: string | URL): Promise<unknown>;
}

export interface HttpRequest {
	method: 'GET' | 'POST';
	origin: string;
	/** Path with query. */
	path: string;
	headers: Record<string, string>;
	body: string | undefined;
	/** `own`: a connection that carries this request alone. `pooled`: one that other requests used before, if there is one. */
	connection: 'own' | 'pooled';
	/** Called when a connection takes the request. From then on the service may have received it. */
	onWritten: () => void;
	/** Tells how the connection is closed when the request is given up. */
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
 * Sends one request and resolves when the response's headers are there. Follows no redirect, retries nothing.
 * Rejects with a NeverSentError only when it is certain that no connection took the request.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export interface TransportSettings {
	origin: string;
	ignoreSslIssues: boolean;
	egressFilter?: EgressFilter | undefined;
}
