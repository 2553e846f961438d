import { Readable } from 'node:stream';
import { Gateway, type GatewayError, type GatewayOptions, parseCredential } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';

let gateways = 0;

interface StubbedOptions extends Partial<GatewayOptions> {
	/** The body of every response, packet by packet. */
	packets?: Buffer[];
	status?: number;
	headers?: Record<string, string>;
	apiKey?: string;
}

/** A gateway that gets the same response to every request. */
export function stubbedGateway(stubbed: StubbedOptions): Gateway {
	const { packets = [], status = 200, headers = {}, apiKey = 'test-key', ...options } = stubbed;
	return new Gateway(
		// A service of its own, because a rate limiter is shared per service and key.
		parseCredential({ baseUrl: `http://stubbed-${(gateways += 1)}.test`, apiKey }),
		{
			maxConcurrency: 2,
			maxRetries: 0,
			timeoutMs: 60_000,
			transport: async () =>
				await Promise.resolve({ status, headers, body: new StreamedBody(Readable.from(packets)) }),
			...options,
		},
	);
}

/** The error that the promise rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
	return await work.then(
		() => Promise.reject(new Error('It did not fail')),
		(error: GatewayError) => error,
	);
}
