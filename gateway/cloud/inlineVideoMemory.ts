import { StorageError } from '../errors/gatewayError';
import type { openInlineVideoFile as OpenInlineVideoFile } from '../video/inlineVideoFile';

/** Far above ten seconds of 1080p, and what a small n8n can hold. */
const MAX_VIDEO_MIB = 256;

/** Keeps an inline video in memory: a package for n8n Cloud may not write files by itself. */
export const openInlineVideoFile: typeof OpenInlineVideoFile = async () => {
	let parts: Buffer[] = [];
	let size = 0;
	return await Promise.resolve({
		write(bytes) {
			size += bytes.length;
			if (size > MAX_VIDEO_MIB * 1024 ** 2) throw tooLarge();
			// A copy has no room to grow.
			parts.push(Buffer.from(bytes));
		},
		close: () => ({
			read() {
				const video = Buffer.concat(parts);
				// Not held twice while n8n stores it.
				parts = [video];
				return video;
			},
			remove: () => void (parts = []),
		}),
	});
};

function tooLarge() {
	return new StorageError('The inline video is too large for the memory of n8n', {
		message: `More than ${MAX_VIDEO_MIB} MiB. Ask for a URL as Response Format.`,
	});
}
