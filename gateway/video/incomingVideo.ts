import type { Readable } from 'node:stream';
import { ByteBuffer, MAX_VIDEO_BYTES } from '../http/body';
import type { GatewayError } from '../errors/gatewayError';
import { downloadLost, notVideo } from '../errors/downloadError';
import { formatOf, SNIFFED_BYTES } from './fileFormat';

/**
 * n8n writes each piece of a body to its storage by itself and waits for that: piece by piece a large video takes half as
 * long again. With this many bytes a write costs little compared with them.
 */
const MIN_WRITE = 512 * 1024;
/** As much as a socket is read in one go. */
const MAX_PART = 64 * 1024;

/** What every class of streams has: the verified build may not import one. */
interface StreamClass {
	from(parts: AsyncIterable<Buffer>): Readable;
}

/** A video on its way. */
export interface IncomingVideo {
	/** As n8n's binary storage takes it. */
	stream: Readable;
	/** Its format by its first bytes; undefined if nobody knows it. */
	extension: string | undefined;
	/** Why the stream broke off, if it did: n8n's storage passes the error on, or one of its own. */
	failure: () => GatewayError | undefined;
}

/**
 * Reads the first bytes of a file, which tell what it is, and returns a stream of it that begins to flow when it is read.
 * n8n's helper rejects a file that is shorter than announced; the announced length may be that of a body which the helper has
 * decompressed since.
 * @param announced bytes; 0 if that is not known
 * @throws GatewayError for something else than a video, one that is too large and an empty one
 */
export async function readVideo(
	source: Readable,
	announced: number,
	onProgress: () => void,
	redact: (text: string) => string,
): Promise<IncomingVideo> {
	const parts = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
	const gathered = new ByteBuffer(MIN_WRITE + MAX_PART);
	let received = 0;
	let failure: GatewayError | undefined;
	let isClosed = false;
	const fail = (error: GatewayError): never => {
		// A reader that fails closes its source, which breaks off then.
		if (!isClosed) failure = error;
		throw error;
	};
	/** @returns whether there was another part */
	const take = async () => {
		const next = await parts.next().catch((error: unknown) => fail(downloadLost(error, redact)));
		if (next.done) return false;
		received += next.value.length;
		if (Math.max(announced, received) > MAX_VIDEO_BYTES)
			fail(notVideo('The video is larger than 4 GiB'));
		onProgress();
		gathered.add(next.value);
		return true;
	};
	// No generator: one that waits for a part cannot be ended.
	const written: AsyncIterableIterator<Buffer> = {
		[Symbol.asyncIterator]: () => written,
		async next() {
			while (gathered.length < MIN_WRITE && (await take()));
			if (gathered.length > 0) return { value: gathered.take() };
			return { done: true, value: undefined };
		},
		async return() {
			isClosed = true;
			source.destroy();
			return await Promise.resolve({ done: true, value: undefined });
		},
	};
	while (gathered.length < SNIFFED_BYTES && (await take()));
	if (received === 0) throw downloadLost(new Error('No data arrived'), redact);
	const extension = videoFormat(gathered.bytes, redact);
	const stream = (source.constructor as unknown as StreamClass).from(written);
	return { stream, extension, failure: () => failure };
}

/**
 * The extension of a video by its first bytes; undefined if nobody knows its format.
 * @throws NoResponseError if it is something else
 */
export function videoFormat(bytes: Buffer, redact: (text: string) => string): string | undefined {
	const { extension, instead, text } = formatOf(bytes.subarray(0, SNIFFED_BYTES));
	if (instead === undefined) return extension;
	const message = `The service delivered ${instead} instead of a video`;
	const said = text && redact(text);
	// It may be an error, such as an overload.
	if (instead === 'JSON') throw notVideo(message, undefined, said, 200);
	throw notVideo(
		message,
		'The video is finished and billed. The same download would bring the same.',
		said,
	);
}
