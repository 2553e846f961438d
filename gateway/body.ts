import type { Readable } from 'node:stream';

/** Past this an answer is no answer of this service but a mistake; an inline video is far below it. */
export const LONGEST_ANSWER_BYTES = 256 * 1024 * 1024;
/** How much of an error body is read: more than any error says. */
export const LONGEST_ERROR_BYTES = 256 * 1024;

/** Reads a body to its end, or up to `limit` bytes. `complete` says which. */
export async function readBody(
	body: Readable,
	limit: number,
	onProgress: () => void,
): Promise<{ bytes: Buffer; complete: boolean }> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body as AsyncIterable<Buffer>) {
		onProgress();
		chunks.push(chunk);
		size += chunk.length;
		if (size > limit) return { bytes: Buffer.concat(chunks, limit), complete: false };
	}
	return { bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size), complete: true };
}
