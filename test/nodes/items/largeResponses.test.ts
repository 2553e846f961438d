import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Simulator } from '../../../simulator';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const KiB = 1024;
const MiB = 1024 * KiB;
const noRetries = { requestOptions: { maxRetries: 0 } };

/** Text that no coding makes much smaller: a large response stays large on the wire. */
const noise = randomBytes(2 * MiB).toString('base64');
const text = (size: number) => noise.slice(0, size);
const chunk = (content: string) =>
	`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

interface Large {
	node: NodeRun;
	/** A body of about this many characters. */
	body: (size: number) => string;
	/** How much of it the node's item has. */
	read: (item: Awaited<ReturnType<typeof runNode>>['items'][number] | undefined) => number;
}

const KINDS: Record<string, Large> = {
	'a chat response': {
		node: chatNode(noRetries),
		body: (size) =>
			JSON.stringify({
				choices: [{ message: { content: text(size) }, finish_reason: 'stop' }],
			}),
		read: (item) => String(item?.json.text).length,
	},
	'a streamed response': {
		node: chatNode({ ...noRetries, options: { stream: true } }),
		body: (size) => {
			const chunks = Array.from({ length: size / 512 }, (_, at) =>
				chunk(noise.slice(at * 512, (at + 1) * 512)),
			);
			return `${chunks.join('')}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
		},
		read: (item) => String(item?.json.text).length,
	},
	'a list of models': {
		node: { node: 'listModels', parameters: { ...noRetries, returnAll: true } },
		body: (size) => JSON.stringify({ data: [{ id: 'm', note: text(Math.min(size, MiB)) }] }),
		read: (item) => String(item?.json.note).length,
	},
	'an inline video': {
		node: videoNode({ ...noRetries, operation: 'get', taskId: 't', download: true }),
		body: (size) => JSON.stringify({ id: 't', status: 'completed', b64_json: text(size) }),
		read: (item) => ((item?.binary?.data?.bytes ?? 0) * 4) / 3,
	},
};

const ENCODINGS: Record<string, (body: string) => Buffer> = {
	identity: (body) => Buffer.from(body),
	gzip: gzipSync,
	br: (body) => brotliCompressSync(body, { params: { [1]: 1 } }),
};

const server = createServer();
let respond: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
	server.on('request', (request, response) => {
		request.resume().on('end', () => respond(request, response));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterAll(() => server.close());

const run = async (node: NodeRun) =>
	await runNode({} as Simulator, {
		...node,
		credential: {
			baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
			apiKey: 'key-of-tests',
		},
	});

describe.each(Object.entries(KINDS))('%s', (_what, { node, body, read }) => {
	test.each(
		Object.keys(ENCODINGS).flatMap((encoding) =>
			[100, 1_500].map((size) => [encoding, size] as const),
		),
	)(
		'(%s) of %i kB is read whole from a service that closes its connections',
		async (encoding, size) => {
			const bytes = ENCODINGS[encoding]!(body(size * KiB));
			for (const framing of ['length', 'chunked', 'end of connection']) {
				respond = (_request, response) => {
					response.writeHead(200, {
						connection: 'close',
						...(encoding !== 'identity' && { 'content-encoding': encoding }),
						...(framing === 'length' && { 'content-length': bytes.length }),
					});
					if (framing === 'end of connection') response.useChunkedEncodingByDefault = false;
					response.end(bytes);
				};
				const { items, error } = await run(node);
				expect(error).toBeUndefined();
				expect(read(items[0])).toBeGreaterThan(Math.min(size * KiB, MiB) - KiB);
			}
		},
	);

	test.each(['ends', 'is reset'])(
		'of 300 kB is an error if its connection %s in the middle',
		async (end) => {
			const bytes = gzipSync(body(300 * KiB));
			respond = (_request, response) => {
				response.writeHead(200, {
					connection: 'close',
					'content-encoding': 'gzip',
					'content-length': bytes.length,
				});
				response.write(bytes.subarray(0, bytes.length - 10), () => {
					if (end === 'ends') response.socket?.end();
					else response.socket?.resetAndDestroy();
				});
			};
			const { error } = await run(node);
			expect(error?.message).toMatch(
				/lost before the response was complete|compressed response is damaged/,
			);
		},
	);
});
