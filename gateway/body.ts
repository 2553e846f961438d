import type { Readable } from 'node:stream';

/** No answer, list of models or submission comes near this; parsed, it takes several times as much memory. */
export const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;
/** A task may hold its video as text; one that is downloaded goes to a file while it arrives. */
export const LONGEST_TASK_BYTES = 256 * 1024 * 1024;
/** Ten seconds of 1080p are far below this: more would only fill the disk. */
export const LARGEST_VIDEO_BYTES = 4 * 1024 ** 3;
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
