import type { Readable } from 'node:stream';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';

/** No answer comes near this; parsed, it takes several times as much memory. What is paid for is not given up for less. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** A task without its inline video, or a submission. */
export const MAX_RESOURCE_BYTES = 2 * 1024 * 1024;
/** A page of a list: ten thousand models, of which each has as much as the largest catalogues tell. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Ten seconds of 1080p stay far below this: more would only fill the disk. */
export const MAX_VIDEO_BYTES = 4 * 1024 ** 3;
/** How much of an error body is read: more than any error needs. */
export const MAX_ERROR_BYTES = 256 * 1024;
const MAX_KEEP_ALIVE_BYTES = 256;
/** How far a body may be ahead of what decompresses or stores it. */
export const MAX_AHEAD_BYTES = 256 * 1024 * 1024;

const EMPTY = Buffer.alloc(0);

/** Gets a part of a body. False ends the reading. */
type TakeBytes = (bytes: Buffer) => boolean | void;

/**
 * Bytes that arrive in pieces of any size. A list of the pieces could take a hundred times their memory: in a chunked body a
 * server can send them one by one.
 */
export class ByteBuffer {
	private held: Buffer = EMPTY;
	private size = 0;

	/** @param expected how many bytes there may be */
	constructor(private readonly expected = 0) {}

	get length(): number {
		return this.size;
	}

	get bytes(): Buffer {
		return this.held.subarray(0, this.size);
	}

	add(bytes: Buffer): void {
		if (bytes.length === 0) return;
		// Most bodies are one piece, which is not copied.
		if (this.size === 0) this.held = bytes;
		else {
			this.reserve(this.size + bytes.length);
			bytes.copy(this.held, this.size);
		}
		this.size += bytes.length;
	}

	/** Returns all bytes and forgets them. */
	take(): Buffer {
		const { bytes } = this;
		this.held = EMPTY;
		this.size = 0;
		return bytes;
	}

	private reserve(size: number): void {
		if (size <= this.held.length) return;
		const larger = Buffer.allocUnsafe(Math.max(size * 2, this.expected));
		this.held.copy(larger, 0, 0, this.size);
		this.held = larger;
	}
}

interface Reader {
	take(bytes: Buffer): void;
	end(error?: Error): void;
}

/** The body of a response. It must be read once or destroyed. */
export class Body {
	/** What arrived before there was a reader. */
	private readonly unread: Buffer[] = [];
	private reader: Reader | undefined;
	private ended: { error: Error | undefined } | undefined;

	/** @param abort closes the connection of a body that is not read on */
	constructor(private readonly abort: (reason: Error) => void) {}

	/**
	 * Passes every part on as soon as it arrives. Resolves at the end, or when `take` returns false; rejects when the
	 * body is incomplete or destroyed, and with what `take` throws. The unread rest is destroyed.
	 */
	read(take: TakeBytes): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			const reader: Reader = {
				take: (bytes) => {
					try {
						if (take(bytes) !== false) return;
						resolve();
						this.destroy();
					} catch (error) {
						reject(error as Error);
						// A complete body has nothing left to destroy.
						this.destroy(error as Error);
					}
				},
				end: (error) => (error ? reject(error) : resolve()),
			};
			this.reader = reader;
			for (const bytes of this.unread) reader.take(bytes);
			this.unread.length = 0;
			if (this.ended) reader.end(this.ended.error);
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
	constructor(readable: Readable) {
		super((reason) => readable.destroy(reason));
		// Without a listener, an error before the first reader ends the process.
		readable.on('error', (error) => this.end(error));
		readable.on('data', (bytes: Buffer) => this.arrive(bytes));
		readable.once('end', () => this.end());
		readable.once('close', () => this.end(new Error('The body broke off')));
	}
}

/** Gets told that a part of a body arrived, and whether it is content. */
export type OnProgress = (isContent?: boolean) => void;

/** Whether a part of a JSON body is more than the white space that keeps a connection alive, which is short. */
export function hasContent(bytes: Buffer): boolean {
	return /\S/.test(bytes.toString('latin1', 0, MAX_KEEP_ALIVE_BYTES));
}

/**
 * Reads a body to its end, or up to `limit` bytes; `complete` tells which. Rejects when the body is incomplete,
 * unless all of its JSON arrived before the connection broke: what it says may be paid for.
 */
export async function readBody(
	body: Body,
	limit: number,
	onProgress: OnProgress,
): Promise<{ bytes: Buffer; complete: boolean }> {
	const read = new ByteBuffer();
	const reading = body.read((bytes) => {
		onProgress(hasContent(bytes));
		read.add(bytes.subarray(0, limit + 1 - read.length));
		return read.length <= limit;
	});
	await reading.catch((error: unknown) => {
		const text = read.bytes.toString('utf8').trim();
		const isWhole = /[}\]]$/.test(text) && parseResponseJsonOrUndefined(text) !== undefined;
		if (!isWhole) throw error;
	});
	return { bytes: read.bytes.subarray(0, limit), complete: read.length <= limit };
}
