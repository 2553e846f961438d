import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Body, type ReadableBody, StreamedBody } from './body';

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
export function decompress(body: ReadableBody, codings: string | string[] | undefined): Body {
	if (codings === undefined) return body;
	const decoders = String(codings)
		.toLowerCase()
		.split(',')
		.flatMap((coding) => DECODERS.get(coding.trim()) ?? []);
	if (decoders.length === 0 || decoders.length > MAX_CODINGS) return body;
	let decoded: Readable = body.stream();
	for (const open of decoders.reverse()) {
		const encoded = decoded;
		const decoder = open();
		encoded.once('error', (error) => decoder.destroy(error));
		decoder.once('close', () => encoded.destroy());
		decoded = encoded.pipe(decoder);
	}
	return new StreamedBody(decoded);
}
