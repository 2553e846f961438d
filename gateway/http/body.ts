import type { Readable } from 'node:stream';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';

/** No answer comes near this size. Parsed, it takes several times as much memory. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Of a task without its inline video, and of a submission. */
export const MAX_RESOURCE_BYTES = 2 * 1024 * 1024;
/** Of a page of a list: ten thousand models with the longest records of today's catalogues. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Ten seconds of 1080p are far smaller, and a larger file would only fill the disk. */
export const MAX_VIDEO_BYTES = 4 * 1024 ** 3;
/** Of an error body, the rest of which is not read: more than any error needs. */
export const MAX_ERROR_BYTES = 256 * 1024;
/** White space that keeps a connection alive is short. */
const MAX_KEEP_ALIVE_BYTES = 256;
/** Of a body that are received and not yet decompressed. */
export const MAX_AHEAD_BYTES = 256 * 1024 * 1024;

const EMPTY = Buffer.alloc(0);

/** Gets each part of a body, and returns false to end the reading. */
type TakeBytes = (bytes: Buffer) => boolean | void;

/**
 * Collects bytes that arrive in pieces of any size. A list of the pieces could take a hundred times their memory: in a
 * chunked body, a server can send single bytes.
 */
export class ByteBuffer {
	private held: Buffer = EMPTY;
	private size = 0;

	/** @param expected the number of bytes for which memory is reserved when a second piece arrives */
	constructor(private readonly expected = 0) {}

	get length(): number {
		return this.size;
	}

	get bytes(): Buffer {
		return this.held.subarray(0, this.size);
	}

	add(bytes: Buffer): void {
		if (bytes.length === 0) return;
		const size = this.size + bytes.length;
		// Most bodies are one piece, which is not copied.
		if (this.size === 0) this.held = bytes;
		else {
			const { held } = this;
			if (size > held.length) {
				this.held = Buffer.allocUnsafe(Math.max(size * 2, this.expected));
				held.copy(this.held, 0, 0, this.size);
			}
			bytes.copy(this.held, this.size);
		}
		this.size = size;
	}

	/** Returns all bytes and forgets them. */
	take(): Buffer {
		const { bytes } = this;
		this.held = EMPTY;
		this.size = 0;
		return bytes;
	}
}

/** The body of a response, to be read once or destroyed. */
export class Body {
	/** Parts that arrived before there was a reader. */
	private readonly unread: Buffer[] = [];
	private reader: { take: (bytes: Buffer) => void; end: (error?: Error) => void } | undefined;
	private ended: { error: Error | undefined } | undefined;

	/** @param abort closes the connection of a body that is destroyed */
	constructor(private readonly abort: (reason: Error) => void) {}

	/**
	 * Passes each part on as it arrives. Resolves at the end of the body, or when `take` returns false; rejects when the
	 * body is incomplete or destroyed, and with what `take` throws. The rest of the body is destroyed.
	 */
	read(take: TakeBytes): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			const end = (error?: Error) => (error ? reject(error) : resolve());
			const stop = (error?: Error) => {
				end(error);
				// A complete body has nothing left to destroy.
				this.destroy(error);
			};
			const takeOrStop = (bytes: Buffer) => {
				try {
					if (take(bytes) === false) stop();
				} catch (error) {
					stop(error as Error);
				}
			};
			this.reader = { take: takeOrStop, end };
			for (const bytes of this.unread) takeOrStop(bytes);
			this.unread.length = 0;
			if (this.ended) end(this.ended.error);
		});
	}

	/** Closes the connection, unless the body has ended. */
	destroy(error = new Error('The body is no longer read')): void {
		this.unread.length = 0;
		if (this.ended) return;
		this.end(error);
		this.abort(error);
	}

	arrive(bytes: Buffer): void {
		if (this.ended) return;
		if (this.reader) this.reader.take(bytes);
		else this.unread.push(bytes);
	}

	end(error?: Error): void {
		if (this.ended) return;
		this.ended = { error };
		this.reader?.end(error);
	}
}

/** A body that comes as a stream, such as a decompressed one. */
export class StreamedBody extends Body {
	/** @param closeConnection for a stream that does not close it when it is destroyed */
	constructor(readable: Readable, closeConnection = () => {}) {
		super((reason) => {
			readable.destroy(reason);
			closeConnection();
		});
		// Without a listener, an error before the first reader ends the process.
		readable.on('error', (error) => this.end(error));
		readable.on('data', (bytes: Buffer) => this.arrive(bytes));
		readable.once('end', () => this.end());
		// Only where it is needed: an error with its stack takes a hundredth of a request's time.
		readable.once(
			'close',
			() => readable.readableEnded || this.end(new Error('The body broke off')),
		);
	}
}

/** To be called when a part of a body arrives: `isContent` is false for bytes that may only keep the connection alive. */
export type OnProgress = (isContent: boolean, bytes: number) => void;

/** Whether a part of a JSON body is more than white space that keeps the connection alive. */
export function hasContent(bytes: Buffer): boolean {
	return /\S/.test(bytes.toString('latin1', 0, MAX_KEEP_ALIVE_BYTES));
}

/** Whether all of an answer arrived, so that it does not matter how its connection ends: it may be paid for. */
export function isWholeJson(bytes: Buffer): boolean {
	const text = bytes.toString('utf8').trim();
	return /[}\]]$/.test(text) && parseResponseJsonOrUndefined(text) !== undefined;
}

/**
 * Reads a body to its end, or up to `limit` bytes: then `complete` is false. Rejects when the connection breaks, unless
 * all of the JSON arrived before.
 */
export async function readBody(
	body: Body,
	limit: number,
	onProgress: OnProgress,
): Promise<{ bytes: Buffer; complete: boolean }> {
	const read = new ByteBuffer();
	const reading = body.read((bytes) => {
		onProgress(hasContent(bytes), bytes.length);
		read.add(bytes.subarray(0, limit + 1 - read.length));
		return read.length <= limit;
	});
	await reading.catch((error: unknown) => {
		if (!isWholeJson(read.bytes)) throw error;
	});
	return { bytes: read.bytes.subarray(0, limit), complete: read.length <= limit };
}
