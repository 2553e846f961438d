import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { z } from 'zod';

const chunk = z.object({
	type: z.string(),
	content: z.string().optional(),
});

export type Chunk = z.infer<typeof chunk>;

/** Asks a webhook that streams, and hands out each line of its answer as soon as it arrives. */
export async function* streamedChunks(url: string, body: object): AsyncGenerator<Chunk> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok || !response.body) {
		throw new Error(`The webhook answers ${response.status}: ${await response.text()}`);
	}
	const bytes = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
	for await (const line of createInterface({ input: bytes })) {
		if (line !== '') yield chunk.parse(JSON.parse(line));
	}
}

/** Asks a webhook that streams, and reads all lines of its answer. */
export async function readChunks(url: string, body: object): Promise<Chunk[]> {
	return await rest(streamedChunks(url, body));
}

/** Reads the lines that have not been read yet. */
export async function rest(chunks: AsyncIterable<Chunk>): Promise<Chunk[]> {
	const all: Chunk[] = [];
	for await (const each of chunks) all.push(each);
	return all;
}
