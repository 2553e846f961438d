import type { Readable } from 'node:stream';
import { ByteBuffer, MAX_VIDEO_BYTES } from '../http/body';
import { downloadLost, notVideo } from './errors';

/** A stream of bytes, as n8n's binary storage takes it. */
export type ByteStream = Readable;

/** Enough to tell a video from a page, whatever the content type. */
const SNIFFED_BYTES = 512;
/**
 * n8n writes each piece of a body to its storage by itself and waits for that: piece by piece a large video takes half as
 * long again. With this many bytes a write costs little compared with them, and the dozen pieces that a stream keeps are few.
 */
const MIN_WRITE = 256 * 1024;

/**
 * Passes a video on in large pieces. Fails for a page instead of a video, a video that is too large and an empty one, when
 * the source fails, and when `signal` is aborted. n8n's helper rejects one that is shorter than announced; the announced
 * length may be that of a body which the helper has decompressed since.
 * @param contentType in lower case
 * @param announced bytes, if known
 */
export function videoStream(
	source: ByteStream,
	contentType: string,
	announced: number | undefined,
	onProgress: () => void,
	signal: AbortSignal,
): ByteStream {
	const mayBePage = /^text\/|json|xml/.test(contentType);
	const video = source.compose(async function* (parts: AsyncIterable<Buffer>) {
		const gathered = new ByteBuffer();
		let received = 0;
		for await (const part of parts) {
			if (received === 0 && mayBePage && isText(part))
				throw notVideo('The URL of the video returned a page instead of a video');
			received += part.length;
			if (Math.max(announced ?? 0, received) > MAX_VIDEO_BYTES)
				throw notVideo('The video is larger than 4 GiB');
			onProgress();
			gathered.add(part);
			if (gathered.length >= MIN_WRITE) yield gathered.take();
		}
		if (received === 0) throw downloadLost(new Error('No data arrived'));
		yield gathered.take();
	}) as ByteStream;
	signal.addEventListener('abort', () => video.destroy(new Error('aborted')), { once: true });
	// Without a listener, an error before the first reader ends the process.
	return video.on('error', () => {});
}

/** Every video container has bytes near its start that no text has. */
function isText(chunk: Buffer): boolean {
	return !chunk.subarray(0, SNIFFED_BYTES).some((byte) => byte < 0x09);
}
