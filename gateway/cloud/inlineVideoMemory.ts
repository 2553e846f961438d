import { NoResponseError, StorageError } from '../errors/gatewayError';
import type { InlineVideoStore } from '../video/inlineVideoExtractor';

const MIB = 1024 ** 2;
/** Far above ten seconds of 1080p, and what a small n8n can hold. */
const MAX_VIDEO = 256 * MIB;
/** What all inline videos of this process may take together. */
const MAX_TOGETHER = 512 * MIB;

let heldBytes = 0;

/**
 * Keeps an inline video in memory: a package for n8n Cloud may not write files by itself.
 * @throws NoResponseError when others take the memory: a later poll brings the video again
 */
export async function openInlineVideoFile(maxTogether = MAX_TOGETHER): Promise<InlineVideoStore> {
	let parts: Buffer[] = [];
	let size = 0;
	return await Promise.resolve({
		write(bytes: Buffer) {
			if (size + bytes.length > MAX_VIDEO) throw tooLarge();
			if (heldBytes + bytes.length > maxTogether) throw noRoom(maxTogether);
			size += bytes.length;
			heldBytes += bytes.length;
			// A copy has no room to grow.
			parts.push(Buffer.from(bytes));
		},
		read() {
			const whole = Buffer.concat(parts);
			// Not held twice while n8n stores it.
			parts = [whole];
			return whole;
		},
		remove() {
			heldBytes -= size;
			size = 0;
			parts = [];
		},
	});
}

function tooLarge() {
	return new StorageError('The inline video is too large for the memory of n8n', {
		message: `More than ${MAX_VIDEO / MIB} MiB. Ask for a URL as Response Format.`,
	});
}

function noRoom(maxTogether: number) {
	return new NoResponseError('Other inline videos take the memory of n8n', {
		code: 'storage_failed',
		advice:
			'The video is finished and billed: use Get with its task ID later. Ask for a URL as Response Format next time.',
		technical: `All inline videos together may take ${maxTogether / MIB} MiB.`,
		mayHaveBeenAccepted: false,
	});
}
