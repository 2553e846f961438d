import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { z } from 'zod';

const chunkSchema = z.object({
	type: z.string(),
	content: z.string().optional(),
});

export type Chunk = z.infer<typeof chunkSchema>;

/** Calls a webhook that streams, and yields each line of the response as soon as it arrives. */
export async function* streamedChunks(url: string, body: object): AsyncGenerator<Chunk> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok || !response.body) {
		throw new Error(`The webhook returned ${response.status}: ${await response.text()}`);
	}
	const bytes = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
	for await (const line of createInterface({ input: bytes })) {
		if (line !== '') yield chunkSchema.parse(JSON.parse(line));
	}
}

/** Calls a webhook that streams, and reads the whole response. */
export async function readChunks(url: string, body: object): Promise<Chunk[]> {
	return await remainingChunks(streamedChunks(url, body));
}

/** Reads the chunks that have not been read yet. */
export async function remainingChunks(chunks: AsyncIterable<Chunk>): Promise<Chunk[]> {
	const all: Chunk[] = [];
	for await (const chunk of chunks) all.push(chunk);
	return all;
}
