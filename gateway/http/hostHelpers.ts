import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { HttpResponse, Method } from './types';

/** The part of n8n's egress filter (SSRF protection) used here. */
export interface EgressFilter {
	/** A DNS lookup that refuses the IP addresses n8n blocks. */
	createSecureLookup(): LookupFunction;
	/** Rejects, or resolves to a result that is not ok, for a URL that n8n blocks. */
	validateUrl(url: string | URL): Promise<unknown>;
}

/** A request as n8n's helper takes it. */
interface HelperRequest {
	method: Method;
	url: string;
	headers: Record<string, string>;
	body?: string | undefined;
	skipSslCertificateValidation: boolean;
	/** Only this signal closes the connection, since the body of the response is a wrapper. */
	abortSignal: AbortSignal;
}

const RESPONSE_AS_STREAM = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	// A redirect would take the key to another host.
	disableFollowRedirect: true,
	// The caller sets the time limit; the helper's own is five minutes.
	timeout: 0,
} as const;

/** The full response of n8n's helper, with its body as a stream. */
export interface HelperResponse {
	statusCode: number;
	headers: HttpResponse['headers'];
	body: Readable;
}

/** n8n's request helper: it downloads videos, and sends all requests of the verified build. */
export type RequestHelper = (
	options: HelperRequest & typeof RESPONSE_AS_STREAM,
) => Promise<HelperResponse>;

/** Functions that n8n lends to the gateway. */
export interface HostHelpers {
	egressFilter?: EgressFilter | undefined;
	httpRequest?: RequestHelper | undefined;
	/** Whether n8n answers requests itself: it evaluates workflows with answers that a model makes up (n8n-io/n8n#27818). */
	isMocked?: boolean;
	/** Adds the headers of n8n's tracing (n8n-io/n8n#28720). */
	addTraceHeaders?: ((headers: Record<string, string>) => void) | undefined;
}

export interface TransportSettings extends HostHelpers {
	origin: string;
	ignoreSslIssues: boolean;
}

/** Requests a URL through n8n's own helper. */
export async function requestThroughN8n(
	httpRequest: RequestHelper | undefined,
	request: HelperRequest,
): Promise<HelperResponse> {
	if (httpRequest === undefined) throw new Error('n8n lends no request helper here');
	return await httpRequest({ ...request, ...RESPONSE_AS_STREAM });
}
