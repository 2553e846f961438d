import { StorageError } from '../errors/gatewayError';
import type { openInlineVideoFile as OpenInlineVideoFile } from '../video/inlineVideoFile';

/** Far above ten seconds of 1080p, and what a small n8n can hold. */
const MAX_VIDEO_BYTES = 256 * 1024 * 1024;

/** Keeps an inline video in memory: a package for n8n Cloud may not write files by itself. */
export const openInlineVideoFile: typeof OpenInlineVideoFile = async () => {
	let parts: Buffer[] = [];
	let size = 0;
	return await Promise.resolve({
		async write(bytes) {
			size += bytes.length;
			if (size > MAX_VIDEO_BYTES) throw tooLarge();
			// A copy has no room to grow.
			parts.push(Buffer.from(bytes));
			await Promise.resolve();
		},
		close: async () =>
			await Promise.resolve({
				read: () => Buffer.concat(parts),
				async remove() {
					parts = [];
					await Promise.resolve();
				},
			}),
	});
};

function tooLarge() {
	return new StorageError('The inline video is too large for the memory of n8n', {
		message: `More than ${MAX_VIDEO_BYTES / 1024 / 1024} MiB. Ask for a URL as Response Format.`,
	});
}
