import type { ByteStream } from '../http/inspectStream';
import { ByteBuffer } from '../http/byteBuffer';
import { Base64Decoder, isInlineData } from './base64Decoder';

/** Texts of a task are hardly ever this long: a longer string goes to a store if it can be inline data. */
const MAX_TEXT = 256 * 1024;

/** The pieces of a body can be as small as its sender likes. */
const MIN_WRITE = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The decoded video of a task requested as `b64_json`. */
export interface InlineVideo {
	read(): Buffer | ByteStream;
	/** Frees its storage. */
	remove(): Promise<void>;
}

/** Where a large inline video is kept until it is read. */
export interface InlineVideoStore {
	write(bytes: Buffer): Promise<void>;
	/** Nothing more is written. */
	close(): Promise<InlineVideo>;
}

/**
 * Extracts the inline data of a JSON text as it arrives, so that a video is never in memory as a whole:
 * the first long string that can be inline data is decoded into a store and replaced by an empty string.
 */
export class InlineVideoExtractor {
	/** The JSON without the inline data. */
	private json = new ByteBuffer();
	/** Where the text of the current string begins in the JSON; undefined outside of strings. */
	private textStart: number | undefined;
	private isLongText = false;
	private escaped = false;
	private store: InlineVideoStore | undefined;
	private isStoring = false;
	private readonly data = new Base64Decoder();
	private decoded = new ByteBuffer();

	/** How much of the video has arrived. */
	videoBytes = 0;

	constructor(private readonly openStore: () => Promise<InlineVideoStore>) {}

	/** How much of the JSON is held in memory, in bytes. */
	get heldBytes(): number {
		return this.json.length;
	}

	async push(chunk: Buffer): Promise<void> {
		/** Up to here the chunk is in the JSON or in the store. */
		let taken = 0;
		let at = 0;
		while (at < chunk.length) {
			if (this.textStart === undefined) {
				const quote = chunk.indexOf(QUOTE, at);
				if (quote === -1) break;
				at = quote + 1;
				this.textStart = this.json.length + at - taken;
				continue;
			}
			const quote = this.closingQuote(chunk, at);
			const end = quote === -1 ? chunk.length : quote;
			const length = this.json.length + end - taken - this.textStart;
			if (this.isStoring) {
				await this.write(this.data.push(chunk.toString('latin1', taken, end)));
				taken = end;
			} else if (length > MAX_TEXT && this.store === undefined && !this.isLongText) {
				this.json.add(chunk.subarray(taken, end));
				taken = end;
				await this.divert(this.textStart);
			}
			if (quote !== -1) await this.endString();
			at = end + 1;
		}
		this.json.add(chunk.subarray(taken));
	}

	/** The JSON without the inline data, and the video, if there was one. */
	async end(): Promise<{ json: Buffer; video: InlineVideo | undefined }> {
		const video = await this.store?.close();
		return { json: this.json.bytes, video };
	}

	/** Removes what was stored: the response is incomplete. */
	async discard(): Promise<void> {
		const video = await this.store?.close();
		await video?.remove();
	}

	/** From here on the current string goes to a store, if it can be inline data. */
	private async divert(start: number): Promise<void> {
		const json = this.json.bytes;
		const text = json.toString('latin1', start);
		this.isLongText = !isInlineData(text);
		if (this.isLongText) return;
		this.json = new ByteBuffer();
		// A copy: what follows is added to it, and the JSON may be the chunk itself.
		this.json.add(Buffer.from(json.subarray(0, start)));
		this.store = await this.openStore();
		this.isStoring = true;
		await this.write(this.data.push(text));
	}

	private async endString(): Promise<void> {
		if (this.isStoring) {
			await this.write(this.data.end());
			await this.flush();
		}
		this.isStoring = false;
		this.isLongText = false;
		this.textStart = undefined;
	}

	private async write(bytes: Buffer): Promise<void> {
		this.videoBytes += bytes.length;
		this.decoded.add(bytes);
		if (this.decoded.length >= MIN_WRITE) await this.flush();
	}

	private async flush(): Promise<void> {
		const { bytes } = this.decoded;
		this.decoded = new ByteBuffer();
		await this.store?.write(bytes);
	}

	private closingQuote(chunk: Buffer, start: number): number {
		for (let from = start; ; ) {
			const quote = chunk.indexOf(QUOTE, from);
			const end = quote === -1 ? chunk.length : quote;
			let backslashes = 0;
			while (end - 1 - backslashes >= start && chunk[end - 1 - backslashes] === BACKSLASH) {
				backslashes += 1;
			}
			// A backslash at the start of this part may belong to one at the end of the part before.
			const reachesStart = end - backslashes === start;
			const odd = (backslashes + (reachesStart && this.escaped ? 1 : 0)) % 2 === 1;
			if (quote === -1 || !odd) {
				this.escaped = quote === -1 && odd;
				return quote;
			}
			from = quote + 1;
			if (from > chunk.length) return -1;
		}
	}
}
