import { ByteBuffer, MAX_VIDEO_BYTES } from '../http/body';
import type { StreamInspector } from '../http/inspectStream';
import { downloadLost, notVideo } from './errors';

/** Enough to tell a video from a page, whatever the content type. */
const SNIFFED_BYTES = 512;
/**
 * n8n writes each piece of a body to its storage by itself and waits for that: piece by piece a large video takes half as
 * long again. With this many bytes a write costs little compared with them.
 */
const MIN_WRITE = 512 * 1024;
/** As much as a socket is read in one go. */
const MAX_PART = 64 * 1024;

/**
 * Rejects a page instead of a video, a video that is too large and an empty one. n8n's helper rejects one that is
 * shorter than announced; the announced length may be that of a body which the helper has decompressed since.
 * @param contentType in lower case
 * @param announced bytes; 0 if that is not known
 */
export function videoInspector(
	contentType: string,
	announced: number,
	onProgress: () => void,
): StreamInspector {
	const mayBePage = /^text\/|json|xml/.test(contentType);
	let received = 0;
	const gathered = new ByteBuffer(MIN_WRITE + MAX_PART);
	return {
		part(bytes) {
			if (received === 0 && mayBePage && isText(bytes))
				throw notVideo('The URL of the video returned a page instead of a video');
			received += bytes.length;
			if (Math.max(announced, received) > MAX_VIDEO_BYTES)
				throw notVideo('The video is larger than 4 GiB');
			onProgress();
			gathered.add(bytes);
			return gathered.length >= MIN_WRITE ? gathered.take() : undefined;
		},
		end() {
			if (received === 0) throw downloadLost(new Error('No data arrived'));
			return gathered.take();
		},
	};
}

/** Every video container has bytes near its start that no text has. */
function isText(chunk: Buffer): boolean {
	return !chunk.subarray(0, SNIFFED_BYTES).some((byte) => byte < 0x09);
}
