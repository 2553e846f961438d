import { Readable } from 'node:stream';
import { StreamedBody } from '../../gateway/http/body';
import type { Gateway } from '../../gateway/index';
import type { Target } from './candidate';
import { builtGateway } from './gateway';
import { MODEL } from './workload';

/** The size of a TLS record. */
export const PACKET_BYTES = 16 * 1024;

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: MODEL };

function frame(delta: object, finish_reason: string | null = null): Buffer {
	const choices = [{ index: 0, delta, finish_reason }];
	return Buffer.from(`data: ${JSON.stringify({ ...head, choices })}\n\n`);
}

const ONE_WORD = frame({ content: ' words' });

/** The size of one chunk of the event stream. */
export const CHUNK_BYTES = ONE_WORD.length;

export const STREAM_HEADERS = { 'content-type': 'text/event-stream' };

/** An event stream like a service's, with one word in each chunk. */
export function eventStream(chunks: number): Buffer[] {
	return inPackets(
		Buffer.concat([
			frame({ role: 'assistant', content: '' }),
			...Array.from({ length: chunks }, () => ONE_WORD),
			frame({}, 'stop'),
			Buffer.from('data: [DONE]\n\n'),
		]),
	);
}

export const JSON_HEADERS = { 'content-type': 'application/json' };

/** A catalogue with this many models. */
export function catalogue(models: number): Buffer[] {
	const data = Array.from({ length: models }, (_, model) => ({
		id: `model-${model}@20250131`,
		object: 'model',
		created: 1_738_300_000,
		owned_by: 'a-lab',
	}));
	return inPackets(Buffer.from(JSON.stringify({ object: 'list', data })));
}

function inPackets(body: Buffer): Buffer[] {
	return Array.from({ length: Math.ceil(body.length / PACKET_BYTES) }, (_, packet) =>
		body.subarray(packet * PACKET_BYTES, (packet + 1) * PACKET_BYTES),
	);
}

/** The published client with a transport that returns this response from memory. */
export function gatewayWithResponse(
	{ url, key }: Target,
	headers: Record<string, string>,
	packets: Buffer[],
): Gateway {
	const { Gateway: Client, parseCredential } = builtGateway();
	return new Client(parseCredential({ baseUrl: url, apiKey: key }), {
		maxConcurrency: 1,
		maxRetries: 0,
		timeoutMs: 300_000,
		transport: async () =>
			await Promise.resolve({
				status: 200,
				headers,
				body: new StreamedBody(Readable.from(packets)),
			}),
	});
}
