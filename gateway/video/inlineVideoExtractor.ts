import { ByteBuffer } from '../http/byteBuffer';
import type { ByteStream } from '../http/inspectStream';
import { Base64Decoder, isInlineData } from './base64Decoder';

/** Texts of a task are hardly ever this long: a longer string goes to a store if it can be inline data. */
const MAX_TEXT = 256 * 1024;

/** The pieces of a body can be as small as its sender likes. */
const MIN_WRITE = 64 * 1024;

/** What is left of inline data: a data URL without data. */
const EXTRACTED = Buffer.from('data:;base64,');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The decoded video of a task requested as `b64_json`. */
export interface InlineVideo {
	read(): Buffer | ByteStream;
	/** Frees its storage. */
	remove(): Promise<void> | void;
}

/** Where a large inline video is kept until it is read. */
export interface InlineVideoStore {
	write(bytes: Buffer): Promise<void> | void;
	/** Nothing more is written. */
	close(): Promise<InlineVideo> | InlineVideo;
}

/**
 * Extracts the inline data of a JSON text as it arrives, so that a video is never in memory as a whole:
 * the first long string that can be inline data is decoded into a store and replaced by a data URL without data.
 */
export class InlineVideoExtractor {
	/** Without the inline data. */
	readonly json = new ByteBuffer();
	/** How much of the video has arrived. */
	videoBytes = 0;
	private isInString = false;
	private isEscaped = false;
	/** Where the current string begins in the JSON. */
	private stringStart = 0;
	/** Of the string that is the video, until it ends. */
	private decoder: Base64Decoder | undefined;
	private readonly decoded = new ByteBuffer();
	private hasVideo = false;
	private store: InlineVideoStore | undefined;

	/** @param openStore undefined: the video is not wanted */
	constructor(private readonly openStore: (() => Promise<InlineVideoStore>) | undefined) {}

	async push(chunk: Buffer): Promise<void> {
		for (let start = 0; start < chunk.length; ) {
			const quote = this.nextQuote(chunk, start);
			const end = quote === -1 ? chunk.length : quote;
			await this.take(chunk.subarray(start, end));
			if (quote !== -1) await this.endPart(chunk.subarray(quote, quote + 1));
			start = end + 1;
		}
	}

	/** The video, if there was one. */
	async end(): Promise<InlineVideo | undefined> {
		return await this.store?.close();
	}

	private nextQuote(chunk: Buffer, start: number): number {
		// No quote in inline data is escaped.
		if (this.decoder !== undefined) return chunk.indexOf(QUOTE, start);
		for (let at = start; at < chunk.length; at += 1) {
			if (this.isEscaped) this.isEscaped = false;
			else if (chunk[at] === BACKSLASH) this.isEscaped = true;
			else if (chunk[at] === QUOTE) return at;
		}
		return -1;
	}

	/** Takes what is in a string, or between two. */
	private async take(bytes: Buffer): Promise<void> {
		if (this.decoder !== undefined)
			return await this.write(this.decoder.push(bytes.toString('latin1')));
		const { json } = this;
		json.add(bytes);
		const isLong = this.isInString && json.length - this.stringStart > MAX_TEXT;
		if (!isLong || this.hasVideo) return;
		const text = json.bytes.subarray(this.stringStart);
		if (isInlineData(text)) await this.divert(text.toString('latin1'));
	}

	/** From here on the current string goes to the store. */
	private async divert(text: string): Promise<void> {
		// A copy: what follows is added to it, and the bytes may be those of the chunk.
		this.json.add(Buffer.from(this.json.take().subarray(0, this.stringStart)));
		this.hasVideo = true;
		this.store = await this.openStore?.();
		this.decoder = new Base64Decoder();
		await this.write(this.decoder.first(text));
	}

	/** A string begins or ends. */
	private async endPart(quote: Buffer): Promise<void> {
		if (this.decoder !== undefined) {
			await this.write(this.decoder.end());
			await this.store?.write(this.decoded.take());
			this.json.add(EXTRACTED);
			this.decoder = undefined;
			this.isEscaped = false;
		}
		this.isInString = !this.isInString;
		this.json.add(quote);
		this.stringStart = this.json.length;
	}

	private async write(bytes: Buffer): Promise<void> {
		this.videoBytes += bytes.length;
		this.decoded.add(bytes);
		if (this.decoded.length >= MIN_WRITE) await this.store?.write(this.decoded.take());
	}
}
