import { Readable } from 'node:stream';
import { StreamedBody } from '../../gateway/http/body';
import type { Gateway } from '../../gateway/index';
import type { Build } from '../benchmark';
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

/** As models write: every sixth token has a character that JSON escapes or UTF-8 needs several bytes for. */
const TEXT = `## Why the sky is blue

The "short" answer: *Rayleigh scattering* — light of shorter wavelength is scattered more.

| Colour | nm |
| --- | --- |
| blau | 450 |
| rouge foncé | 700 |

\`\`\`js
const ratio = (700 / 450) ** 4; // "≈ 5.9"
console.log("blue:red", ratio);
\`\`\`

> So the sky isn't violet: the sun sends less of it, and our eyes don't see it well. 🌤️

`;

/** The tokens of the text, as they are streamed: a word with the space before it, or a line break. */
const TOKENS = (TEXT.match(/\n+| ?[^\s]{1,6}/gu) ?? []).map((content) => frame({ content }));

export const STREAM_HEADERS = { 'content-type': 'text/event-stream' };

/** An event stream like a service's, of about this size, with one token in each chunk. */
export function eventStream(bytes: number): Buffer[] {
	const text = Buffer.concat(TOKENS);
	return inPackets(
		Buffer.concat([
			frame({ role: 'assistant', content: '' }),
			...Array.from({ length: Math.ceil(bytes / text.length) }, () => text),
			frame({}, 'stop'),
			Buffer.from('data: [DONE]\n\n'),
		]),
	);
}

function inPackets(body: Buffer): Buffer[] {
	return Array.from({ length: Math.ceil(body.length / PACKET_BYTES) }, (_, packet) =>
		body.subarray(packet * PACKET_BYTES, (packet + 1) * PACKET_BYTES),
	);
}

/** The published client with a transport that returns this response from memory. */
export function gatewayWithResponse(
	{ url, key }: Target,
	build: Build,
	headers: Record<string, string>,
	packets: Buffer[],
): Gateway {
	const { Gateway: Client, parseCredential } = builtGateway(build);
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
