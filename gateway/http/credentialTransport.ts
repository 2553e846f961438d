import type { Readable } from 'node:stream';
import { StreamedBody } from './body';
import { isSsrfRefusal } from '../errors/foreignError';
import { neverSent } from '../errors/networkError';
import { unlessGivenUp } from './idleTimeout';
import type { HttpResponse, Method, Transport } from './types';

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
}) => Promise<{
	statusCode: number;
	headers: HttpResponse['headers'];
	body: Readable;
}>;

/** The transport of a credential's test. */
export function credentialTestTransport(
	request: TestRequest,
	ignoreSslIssues: boolean,
	timeoutMs: number,
): Transport {
	return async (sent) => {
		const { method, origin, path, headers, onWritten } = sent;
		onWritten();
		const responding = request({
			method,
			uri: origin + path,
			headers,
			rejectUnauthorized: !ignoreSslIssues,
			timeout: timeoutMs,
			followRedirect: false,
			// Otherwise n8n would read a body of any size.
			useStream: true,
			simple: false,
			resolveWithFullResponse: true,
		}).catch((error: unknown) => {
			throw isSsrfRefusal(error) ? neverSent(error) : error;
		});
		const response = await unlessGivenUp(sent, responding, () => {
			const close = (late: Awaited<typeof responding>) => late.body.destroy();
			void responding.then(close, () => {});
		});
		const { statusCode, headers: received, body } = response;
		return { status: statusCode, headers: received, body: new StreamedBody(body) };
	};
}
