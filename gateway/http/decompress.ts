import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { type Body, MAX_AHEAD_BYTES, StreamedBody } from './body';

/** Without deflate: servers mean different formats by it (RFC 9110, 8.4.1.2). */
export const ACCEPTED_CODINGS = 'gzip, br';

const DECODERS = new Map<string, () => Transform>([
	['gzip', createGunzip],
	['x-gzip', createGunzip],
	['br', createBrotliDecompress],
]);

/**
 * Undoes the content coding of a body. One that was not asked for stays: a name alone may be wrong.
 * @param coding the Content-Encoding header
 */
export function decompress(body: Body, coding: string | string[] | undefined): Body {
	const decoder = DECODERS.get(String(coding).trim().toLowerCase())?.();
	if (decoder === undefined) return body;
	const decompressed = new StreamedBody(decoder);
	body
		.read((bytes) => {
			decoder.write(bytes);
			return decoder.writableLength < MAX_AHEAD_BYTES;
		})
		.then(
			() => decoder.end(),
			(error: Error) => decoder.destroy(error),
		);
	decoder.once('close', () => body.destroy());
	return decompressed;
}
