import { Readable } from 'node:stream';
import {
	Gateway,
	type GatewayError,
	type GatewayOptions,
	parseCredential,
	StreamedBody,
} from '../../gateway';

let gateways = 0;

interface Given extends Partial<GatewayOptions> {
	/** The body of every answer, packet by packet. */
	packets: Buffer[];
	status?: number;
	headers?: Record<string, string>;
	apiKey?: string;
}

/** A gateway whose service gives one answer to everything. */
export function answeringGateway(given: Given): Gateway {
	const { packets, status = 200, headers = {}, apiKey = 'test-key', ...options } = given;
	return new Gateway(
		// The rate limiter is shared by all that use one service and key.
		parseCredential({ baseUrl: `http://answering-${(gateways += 1)}.test`, apiKey }),
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

/** The error that the work ends in. */
export async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
	return await work.then(
		() => Promise.reject(new Error('It did not fail')),
		(error: GatewayError) => error,
	);
}
