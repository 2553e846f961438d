import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Body, MAX_AHEAD_BYTES, StreamedBody } from './body';

/** No deflate: what servers mean by it differs (RFC 9110, 8.4.1.2). */
export const ACCEPTED_CODINGS = 'gzip, br';
/** A proxy may compress a compressed body once more; more than that is an attack on the memory. */
const MAX_CODINGS = 3;

const DECODERS = new Map([
	['gzip', createGunzip],
	['x-gzip', createGunzip],
	['deflate', createInflate],
	['br', createBrotliDecompress],
]);

/**
 * Undoes the content codings of a body, the last one first. Unknown codings are ignored.
 * @param codings the Content-Encoding header
 */
export function decompress(body: Body, codings: string | string[] | undefined): Body {
	const decoders = [codings]
		.join()
		.toLowerCase()
		.split(',')
		.flatMap((coding) => DECODERS.get(coding.trim()) ?? []);
	if (decoders.length > MAX_CODINGS) return body;
	const [first, ...others] = decoders.reverse().map((open) => open());
	if (first === undefined) return body;
	const decoded = others.reduce((before, next) => pipeline(before, next, () => {}), first);
	body
		.read((bytes) => {
			first.write(bytes);
			return first.writableLength < MAX_AHEAD_BYTES;
		})
		.then(
			() => first.end(),
			(error: Error) => first.destroy(error),
		);
	first.on('error', () => {}).once('close', () => body.destroy());
	return new StreamedBody(decoded);
}
