import type { Readable } from 'node:stream';

/** No answer, list of models or submission comes near this; parsed, it takes several times as much memory. */
export const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;
/** A task may hold its video as text; one that is downloaded goes to a file while it arrives. */
export const LONGEST_TASK_BYTES = 256 * 1024 * 1024;
/** Ten seconds of 1080p are far below this: more would only fill the disk. */
export const LARGEST_VIDEO_BYTES = 4 * 1024 ** 3;
/** How much of an error body is read: more than any error says. */
export const LONGEST_ERROR_BYTES = 256 * 1024;

/** The body of an answer. It is read once, in one of two ways, or destroyed; whoever drops it must destroy it. */
export interface Body {
	/**
	 * Hands every part on as soon as it arrives. Resolves at the end, or when `onBytes` returns false; rejects when the
	 * body breaks off or is destroyed, and with what `onBytes` throws. What is not read then is destroyed.
	 */
	read(onBytes: (bytes: Buffer) => boolean | void): Promise<void>;
	/** The body for a reader that may be slower than the network. */
	stream(): AsyncIterable<Buffer>;
	/** Closes the connection, unless the body has ended. */
	destroy(error?: Error): void;
}

/** A body that Node.js streams take. */
export interface ReadableBody extends Body {
	stream(): Readable;
}

/** A body that comes as a stream, such as a decompressed one. */
export class StreamedBody implements ReadableBody {
	constructor(private readonly readable: Readable) {
		// Without a listener an error that comes before the first reader ends the process.
		readable.on('error', () => {});
	}

	read(onBytes: (bytes: Buffer) => boolean | void): Promise<void> {
		const { readable } = this;
		return new Promise<void>((resolve, reject) => {
			readable.on('data', (bytes: Buffer) => {
				// What waits in the stream comes even after its end was called for.
				if (readable.destroyed) return;
				try {
					if (onBytes(bytes) !== false) return;
					resolve();
					readable.destroy();
				} catch (error) {
					reject(error as Error);
					readable.destroy();
				}
			});
			readable.once('end', resolve);
			readable.once('error', reject);
			readable.once('close', () => {
				if (!readable.readableEnded) reject(new Error('The body broke off'));
			});
		});
	}

	stream(): Readable {
		return this.readable;
	}

	destroy(error?: Error): void {
		this.readable.destroy(error);
	}
}

/** A body that has arrived as a whole. */
export class BufferedBody implements Body {
	constructor(private readonly bytes: Buffer) {}

	async read(onBytes: (bytes: Buffer) => boolean | void): Promise<void> {
		onBytes(this.bytes);
		await Promise.resolve();
	}

	async *stream(): AsyncIterable<Buffer> {
		yield await Promise.resolve(this.bytes);
	}

	destroy(): void {}
}

/** Reads a body to its end, or up to `limit` bytes. `complete` says which. Rejects when the body breaks off. */
export async function readBody(
	body: Body,
	limit: number,
	onProgress: () => void,
): Promise<{ bytes: Buffer; complete: boolean }> {
	const parts: Buffer[] = [];
	let size = 0;
	await body.read((bytes) => {
		onProgress();
		parts.push(bytes);
		size += bytes.length;
		return size <= limit;
	});
	const [only] = parts;
	if (parts.length === 1 && only && size <= limit) return { bytes: only, complete: true };
	return { bytes: Buffer.concat(parts, Math.min(size, limit)), complete: size <= limit };
}
