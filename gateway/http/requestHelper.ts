import type { HelperResponse, Method, RequestHelper } from './types';

interface HelperRequest {
	method: Method;
	url: string;
	headers: Record<string, string>;
	body?: string | undefined;
	ignoreSslIssues: boolean;
}

/** Requests a URL through n8n's own helper. The signal alone closes the connection: the body is a wrapper. */
export async function requestThroughN8n(
	httpRequest: RequestHelper | undefined,
	{ ignoreSslIssues, body, ...request }: HelperRequest,
	abortSignal: AbortSignal,
): Promise<HelperResponse> {
	if (httpRequest === undefined) throw new Error('n8n lends no request helper here');
	return await httpRequest({
		...request,
		...(body !== undefined && { body }),
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would take the key to another host.
		disableFollowRedirect: true,
		skipSslCertificateValidation: ignoreSslIssues,
		// The limit of time is the caller's; the helper's own is five minutes.
		timeout: 0,
		abortSignal,
	});
}
