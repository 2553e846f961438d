import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Delivery, RESET, streamed, whole } from '../delivery';
import { ENDPOINTS, type Endpoint } from '../endpoints';
import type { HttpResponse } from '../httpResponse';
import type { Fault, FaultContext } from './fault';

const FILES = join(__dirname, '../../test/corpus/files');
const PREFIX = 'field-';

/** One response, as a real service sent it. In texts, `{origin}` is the Base URL and `{task}` the ID in the path. */
const sentResponse = z.strictObject({
	status: z.int().default(200),
	headers: z.record(z.string(), z.string()).default({}),
	/** A text is sent as it is, any other value as JSON. */
	body: z.json().optional(),
	/** The events of a stream; an object is a `data:` line with its JSON. A blank line follows each. */
	events: z.array(z.union([z.string(), z.record(z.string(), z.json())])).optional(),
	/** The bytes of a file in hexadecimal digits, and the size up to which zeros follow. */
	hex: z.string().optional(),
	size: z.int().optional(),
	encoding: z.literal('gzip').optional(),
	/** Whether a task, a model or an answer is found in it, or an error. Else it is refused, or another poll follows. */
	isRead: z.boolean().default(true),
	/** The connection is reset behind what was sent. */
	reset: z.literal(true).optional(),
});
type SentResponse = z.infer<typeof sentResponse>;

/** A list: the responses to one request after another. The last one is repeated. */
const sentResponses = z.union([
	z.array(sentResponse).min(1),
	sentResponse.transform((one) => [one]),
]);

/** What a service sends, by endpoint. `chat` is also what it sends to a chat that asks for a stream. */
export const sends = z.partialRecord(
	z.enum([...ENDPOINTS, 'other'] satisfies Endpoint[]),
	sentResponses,
);
type Sends = z.infer<typeof sends>;

const fieldFile = z.looseObject({ kind: z.string(), sends });

/** The fault `field-<name>`: what a file of test/corpus sends. */
export function fieldFault(name: string): Fault | undefined {
	const file = join(FILES, `${name.slice(PREFIX.length)}.json`);
	if (!/^field-[a-z\d-]+$/.test(name) || !existsSync(file)) return undefined;
	const { kind, sends: sent } = fieldFile.parse(JSON.parse(readFileSync(file, 'utf8')));
	return {
		name,
		description: kind,
		endpoints: [...ENDPOINTS, 'other' as const].filter((endpoint) => sentTo(sent, endpoint)),
		effect: {
			kind: 'replace',
			deliver: (context) => {
				const responses = sentTo(sent, context.endpoint) ?? [];
				return delivered(responses[Math.min(context.attempt, responses.length) - 1]!, context);
			},
		},
	};
}

function sentTo(sent: Sends, endpoint: Endpoint): SentResponse[] | undefined {
	return sent[endpoint] ?? (endpoint === 'chatStream' ? sent.chat : undefined);
}

function* delivered(sent: SentResponse, context: FaultContext): Delivery {
	const filled = (text: string) =>
		text.replaceAll('{origin}', context.origin).replaceAll('{task}', context.taskId);
	const response = responseOf(sent, filled);
	const steps = response.events ? streamed(response, 0) : whole(response);
	for (const step of steps) yield step.kind === 'end' && sent.reset ? RESET : step;
}

function responseOf(sent: SentResponse, filled: (text: string) => string): HttpResponse {
	const { status, headers, body, events, hex, size = 0, encoding } = sent;
	const typed = (type: string) => ({ 'content-type': type, ...headers });
	if (events) {
		const lines = events.map((event) =>
			filled(typeof event === 'string' ? `${event}\n\n` : `data: ${JSON.stringify(event)}\n\n`),
		);
		return { status, headers: typed('text/event-stream'), body: Buffer.alloc(0), events: lines };
	}
	if (hex !== undefined) {
		const start = Buffer.from(hex.replaceAll(' ', ''), 'hex');
		const bytes = Buffer.concat([start, Buffer.alloc(Math.max(0, size - start.length))]);
		return { status, headers: typed('application/octet-stream'), body: bytes };
	}
	if (body === undefined) return { status, headers, body: Buffer.alloc(0) };
	const bytes = Buffer.from(filled(typeof body === 'string' ? body : JSON.stringify(body)));
	const all = typed(typeof body === 'string' ? 'text/plain' : 'application/json');
	if (!encoding) return { status, headers: all, body: bytes };
	const named = { ...all, 'content-encoding': encoding };
	return { status, headers: named, body: gzipSync(bytes) };
}
