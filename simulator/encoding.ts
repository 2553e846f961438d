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
import { withHeaders, type HttpResponse } from './httpResponse';

export type Encoding = 'gzip' | 'deflate' | 'br';

const compressors = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

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

export function encodeResponse(response: HttpResponse, encoding: Encoding): HttpResponse {
	if (response.body.length === 0) return response;
	const encoded = { ...response, body: Buffer.from(compressors[encoding](response.body)) };
	return withHeaders(encoded, { 'content-encoding': encoding, vary: 'accept-encoding' });
}

/** A compressor that flushes after each write. */
export function streamEncoder(encoding: Encoding): Gzip | Deflate | BrotliCompress {
	if (encoding === 'gzip') return createGzip({ flush: constants.Z_SYNC_FLUSH });
	if (encoding === 'deflate') return createDeflate({ flush: constants.Z_SYNC_FLUSH });
	return createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH });
}
