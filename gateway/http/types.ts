import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { name, version } from '../../package.json';
import type { Body } from './body';

/** What every request says of its sender. */
export const USER_AGENT = `${name}/${version}`;

/** The part of n8n's egress filter (SSRF protection) used here. */
export interface EgressFilter {
	/** A DNS lookup that refuses the IP addresses n8n blocks. */
	createSecureLookup(): LookupFunction;
	/** Rejects, or resolves to a result that is not ok, for a URL that n8n blocks. */
	validateUrl(url: string | URL): Promise<unknown>;
}

/** Those of the interface. */
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
 * Rejects with a NeverSentError only when the request was certainly not written.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** What n8n's request helper resolves to when it is asked for the full response as a stream. */
export interface HelperResponse {
	statusCode: number;
	headers: HttpResponse['headers'];
	body: Readable;
}

/** n8n's request helper: it downloads videos, and a transport without sockets of its own sends with it. */
export type RequestHelper = (options: {
	method: Method;
	url: string;
	headers: Record<string, string>;
	body?: string;
	encoding: 'stream';
	returnFullResponse: true;
	ignoreHttpStatusErrors: true;
	disableFollowRedirect: true;
	skipSslCertificateValidation: boolean;
	timeout: number;
	abortSignal: AbortSignal;
}) => Promise<HelperResponse>;

/** What n8n lends to the gateway. */
export interface HostHelpers {
	egressFilter?: EgressFilter | undefined;
	httpRequest?: RequestHelper | undefined;
}

export interface TransportSettings extends HostHelpers {
	origin: string;
	ignoreSslIssues: boolean;
}
