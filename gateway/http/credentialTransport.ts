import type { Readable } from 'node:stream';
import { StreamedBody } from './body';
import { isSsrfRefusal } from './connectionErrors';
import { urlBlocked } from './egressCheck';
import type { HttpResponse, Method, Transport } from './types';

/** n8n's older request function. Where a credential is tested it is the only one, and it alone knows n8n's SSRF protection. */
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
	return async ({ method, origin, path, headers, onWritten, whenGivenUp }) => {
		onWritten();
		const responding = request({
			method,
			uri: origin + path,
			headers,
			rejectUnauthorized: !ignoreSslIssues,
			timeout: timeoutMs,
			followRedirect: false,
			// n8n would read a body of any size.
			useStream: true,
			simple: false,
			resolveWithFullResponse: true,
		}).catch((error: unknown) => {
			throw isSsrfRefusal(error) ? urlBlocked() : error;
		});
		// n8n's SSRF protection may be looking up a name, which nothing ends.
		const givenUp = new Promise<never>((_, reject) => {
			whenGivenUp(() => {
				reject(new Error('The request was given up'));
				void responding.then(
					(late) => late.body.destroy(),
					() => {},
				);
			});
		});
		const response = await Promise.race([responding, givenUp]);
		return {
			status: response.statusCode,
			headers: response.headers,
			body: new StreamedBody(response.body),
		};
	};
}
