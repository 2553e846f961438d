import {
	brotliCompressSync,
	constants,
	createBrotliCompress,
	createDeflate,
	createGzip,
	deflateSync,
	gzipSync,
	type BrotliCompress,
	type Deflate,
	type Gzip,
} from 'node:zlib';
import { withHeaders, type Answer } from './answer';

export type Encoding = 'gzip' | 'deflate' | 'br';

const whole = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** The first of `offered` that an Accept-Encoding header allows. */
export function chooseEncoding(
	accepted: string | undefined,
	offered: readonly Encoding[],
): Encoding | undefined {
	const names = (accepted ?? '')
		.split(',')
		.map((part) => part.trim().toLowerCase())
		.filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
		.map((part) => part.replace(/\s*;.*$/, ''));
	return offered.find((encoding) => names.includes(encoding));
}

export function encodeAnswer(answer: Answer, encoding: Encoding): Answer {
	if (answer.body.length === 0) return answer;
	const encoded = { ...answer, body: Buffer.from(whole[encoding](answer.body)) };
	return withHeaders(encoded, { 'content-encoding': encoding, vary: 'accept-encoding' });
}

/** A compressor that hands on each write at once when flushed. */
export function streamEncoder(encoding: Encoding): Gzip | Deflate | BrotliCompress {
	if (encoding === 'gzip') return createGzip({ flush: constants.Z_SYNC_FLUSH });
	if (encoding === 'deflate') return createDeflate({ flush: constants.Z_SYNC_FLUSH });
	return createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH });
}
