import { Transform, type TransformCallback } from 'node:stream';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/** A decoder of Node.js works in threads, which no virtual clock waits for. This one decodes when all bytes are there. */
class Decoder extends Transform {
	private readonly parts: Buffer[] = [];

	constructor(private readonly decode: (bytes: Buffer) => Buffer) {
		super();
	}

	override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
		this.parts.push(bytes);
		done();
	}

	override _flush(done: TransformCallback): void {
		try {
			done(null, this.decode(Buffer.concat(this.parts)));
		} catch (error) {
			done(error as Error);
		}
	}
}

/** What the bundle needs of `node:zlib`. */
export const zlib = {
	createGunzip: () => new Decoder(gunzipSync),
	createInflate: () => new Decoder(inflateSync),
	createBrotliDecompress: () => new Decoder(brotliDecompressSync),
};

/** axios, in n8n's request helper, takes what there is of a body that ends too early. */
export function axiosGunzip(): Transform {
	return new Decoder((bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
}
