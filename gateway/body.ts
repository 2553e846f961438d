import type { Readable } from 'node:stream';

/** No answer, list of models or submission comes near this; parsed, it takes several times as much memory. */
export const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;
/** A task may hold its video as text; one that is downloaded goes to a file while it arrives. */
export const LONGEST_TASK_BYTES = 256 * 1024 * 1024;
/** Ten seconds of 1080p are far below this: more would only fill the disk. */
export const LARGEST_VIDEO_BYTES = 4 * 1024 ** 3;
/** How much of an error body is read: more than any error says. */
export const LONGEST_ERROR_BYTES = 256 * 1024;

/**
 * Reads a body to its end, or up to `limit` bytes. `complete` says which. Rejects when the body breaks off.
 * By its events: they cost half of what `for await` does.
 */
export async function readBody(
	body: Readable,
	limit: number,
	onProgress: () => void,
): Promise<{ bytes: Buffer; complete: boolean }> {
	const chunks: Buffer[] = [];
	let size = 0;
	await new Promise<void>((resolve, reject) => {
		body.on('data', (chunk: Buffer) => {
			onProgress();
			chunks.push(chunk);
			size += chunk.length;
			if (size > limit) body.destroy();
		});
		body.once('end', resolve);
		body.once('error', reject);
		body.once('close', () => {
			if (!body.readableEnded && size <= limit) reject(new Error('The body broke off'));
			resolve();
		});
	});
	const [only] = chunks;
	if (chunks.length === 1 && only && size <= limit) return { bytes: only, complete: true };
	return { bytes: Buffer.concat(chunks, Math.min(size, limit)), complete: size <= limit };
}
