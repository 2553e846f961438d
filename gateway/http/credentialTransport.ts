import { helperTransport } from './helperTransport';
import type { HelperResponse, RequestHelper } from './hostHelpers';
import type { Method, Transport } from './types';

/** n8n's older request function: the only one where a credential is tested. It applies n8n's SSRF protection. */
export type TestRequest = (options: {
	method: Method;
	uri: string;
	headers: Record<string, string>;
	rejectUnauthorized: boolean;
	timeout: number;
	followRedirect: false;
	useStream: true;
	simple: false;
	resolveWithFullResponse: true;
}) => Promise<HelperResponse>;

/** The transport of a credential's test. */
export function credentialTestTransport(
	request: TestRequest,
	ignoreSslIssues: boolean,
	timeoutMs: number,
): Transport {
	const httpRequest: RequestHelper = async ({ method, url, headers, abortSignal }) => {
		const response = await request({
			method,
			uri: url,
			headers,
			rejectUnauthorized: !ignoreSslIssues,
			timeout: timeoutMs,
			followRedirect: false,
			// Otherwise n8n would read a body of any size.
			useStream: true,
			simple: false,
			resolveWithFullResponse: true,
		});
		if (abortSignal.aborted) response.body.destroy();
		return response;
	};
	return helperTransport({ httpRequest, ignoreSslIssues });
}
