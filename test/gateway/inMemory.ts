import { Readable } from 'node:stream';
import { Gateway, type GatewayError, type GatewayOptions, parseCredential } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';
import type { HttpResponse } from '../../gateway/http/types';
import type { VirtualClock } from '../clock/virtualClock';

// The service in memory, in place of a gateway's transport.

/** A response: an object as JSON, anything else as it is, packet by packet. */
export function responseOf(
	status: number,
	content: object | Array<Buffer | string>,
	headers: Record<string, string> = {},
): HttpResponse {
	const isJson = !Array.isArray(content);
	const packets = isJson ? [Buffer.from(JSON.stringify(content))] : content;
	return {
		status,
		headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
		body: new StreamedBody(Readable.from(packets)),
	};
}

export const COMPLETION = {
	id: 'chat-1',
	object: 'chat.completion',
	created: 1,
	model: 'heron-chat',
	choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
};

/** A gateway without retries, at this URL. */
export function gatewayAt(
	baseUrl: string,
	{ apiKey = 'key-of-tests', ...options }: Partial<GatewayOptions> & { apiKey?: string } = {},
): Gateway {
	return new Gateway(parseCredential({ baseUrl, apiKey }), {
		maxConcurrency: 10,
		maxRetries: 0,
		timeoutMs: 60_000,
		...options,
	});
}

interface StubbedOptions extends Partial<GatewayOptions> {
	/** The body of every response, packet by packet. */
	packets?: Buffer[];
	status?: number;
	headers?: Record<string, string>;
	apiKey?: string;
}

/** A response whose packets arrive one after another: undefined ends it, and after an empty one nothing more comes. */
export function slowResponses(
	clock: VirtualClock,
	everyMs: number,
	packetOf: (index: number) => string | undefined,
): NonNullable<GatewayOptions['transport']> {
	return async ({ onWritten, whenGivenUp }) => {
		onWritten();
		const body = new Readable({ read() {} });
		whenGivenUp(() => body.destroy(new Error('given up')));
		const send = (index: number) => {
			if (body.destroyed) return;
			const packet = packetOf(index);
			body.push(packet === undefined ? null : Buffer.from(packet));
			// In two steps: what comes at the moment when a time limit is over comes after its timer has fired.
			const later = () => clock.after(everyMs / 2, () => send(index + 1));
			if (packet) clock.after(everyMs / 2, later);
		};
		send(0);
		return await Promise.resolve({ status: 200, headers: {}, body: new StreamedBody(body) });
	};
}

let gateways = 0;

/** A gateway that gets the same response to every request. */
export function stubbedGateway(stubbed: StubbedOptions): Gateway {
	const { packets = [], status = 200, headers = {}, ...options } = stubbed;
	// A service of its own, because a rate limiter is shared per service and key.
	return gatewayAt(`http://stubbed-${(gateways += 1)}.test`, {
		maxConcurrency: 2,
		transport: async () => await Promise.resolve(responseOf(status, packets, headers)),
		...options,
	});
}

/** The error that the promise rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
	return await work.then(
		() => Promise.reject(new Error('It did not fail')),
		(error: GatewayError) => error,
	);
}
