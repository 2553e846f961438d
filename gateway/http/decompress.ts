import { Duplex, pipeline } from 'node:stream';
import * as zlib from 'node:zlib';
import { type Body, MAX_AHEAD_BYTES, StreamedBody } from './body';

/** Without deflate: servers mean different formats by it (RFC 9110, 8.4.1.2). */
export const ACCEPTED_CODINGS = 'gzip, br';
/** A proxy may compress a compressed body once more. More codings than that are an attack on the memory. */
const MAX_CODINGS = 3;
/** The method in a zlib header (RFC 1950, 2.2). Compressed data without a header hardly ever begins with it. */
const ZLIB_DEFLATE = 8;

const DECODERS = new Map<string, () => Duplex>([
	['gzip', zlib.createGunzip],
	['x-gzip', zlib.createGunzip],
	['deflate', () => Duplex.from(inflated)],
	['br', zlib.createBrotliDecompress],
]);
// Node.js has zstd from 22.15 on.
if ('createZstdDecompress' in zlib) DECODERS.set('zstd', zlib.createZstdDecompress);

/** Deflated data have a zlib header, as they should, or none (lighttpd: nodejs/undici#2603). */
async function* inflated(received: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	const packets = received[Symbol.asyncIterator]();
	const beginning = await packets.next();
	if (beginning.done === true) return;
	const first = beginning.value;
	const hasHeader = (first.readUInt8() & 0x0f) === ZLIB_DEFLATE;
	const decoder = hasHeader ? zlib.createInflate() : zlib.createInflateRaw();
	const all = async function* () {
		yield first;
		yield* { [Symbol.asyncIterator]: () => packets };
	};
	pipeline(all, decoder, () => {});
	yield* decoder as AsyncIterable<Buffer>;
}

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
	const decompressed = new StreamedBody(decoded);
	body
		.read((bytes) => {
			first.write(bytes);
			return first.writableLength < MAX_AHEAD_BYTES;
		})
		.then(
			() => first.end(),
			(error: Error) => {
				first.destroy(error);
				// In Node.js 20, a Duplex of a function that still waits for its first bytes says nothing of it.
				decompressed.end(error);
			},
		);
	first.on('error', () => {}).once('close', () => body.destroy());
	return decompressed;
}
