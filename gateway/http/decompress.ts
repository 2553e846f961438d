import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Body, StreamedBody } from './body';

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
	if (codings === undefined) return body;
	const decoders = String(codings)
		.toLowerCase()
		.split(',')
		.flatMap((coding) => DECODERS.get(coding.trim()) ?? []);
	if (decoders.length === 0 || decoders.length > MAX_CODINGS) return body;
	let decoded: Readable = streamOf(body);
	for (const open of decoders.reverse()) {
		const encoded = decoded;
		const decoder = open();
		encoded.once('error', (error) => decoder.destroy(error));
		decoder.once('close', () => encoded.destroy());
		decoded = encoded.pipe(decoder);
	}
	return new StreamedBody(decoded);
}

function streamOf(body: Body): Readable {
	let takeMore = () => {};
	const readable = new Readable({
		read: () => takeMore(),
		destroy: (error, done) => {
			body.destroy();
			done(error);
		},
	});
	readable.on('error', () => {});
	const wantsMore = async () => await new Promise<void>((resolve) => (takeMore = resolve));
	body
		.read((bytes) => (readable.push(bytes) ? undefined : wantsMore()))
		.then(
			() => readable.push(null),
			(error: Error) => readable.destroy(error),
		);
	return readable;
}
