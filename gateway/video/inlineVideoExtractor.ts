import { ByteBuffer } from '../http/byteBuffer';
import type { ByteStream } from '../http/inspectStream';

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

const DATA_URL = /^data:[^,"]{0,200};base64,/i;
/** A text of this many characters contains a space, a full stop or a comma. */
const ENOUGH_TO_TELL = 4_096;
/** Base64 in a JSON text: some servers break its lines, some escape its slashes, plus and equals signs. */
const ENCODED = /^(?:[\w+/=-]|\\[nrt/]|\\u00(?:2b|2f|3d|0a|0d))*(?:\\(?:u[\da-f]{0,3})?)?$/i;
/** An escape that the next piece of the text completes. */
const DIVIDED_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;

export function isDataUrl(text: string): boolean {
	return DATA_URL.test(text);
}

/** Whether a long string of a JSON text is inline data. Its beginning tells. */
function isInlineData(text: Buffer): boolean {
	return ENCODED.test(text.toString('latin1', 0, ENOUGH_TO_TELL).replace(DATA_URL, ''));
}

/** Decodes inline data from the pieces of a string of a JSON text. The first piece has all of the data URL's beginning. */
export class Base64Decoder {
	/** Digits that do not form whole bytes yet, and an incomplete escape. */
	private rest = '';

	first(piece: string): Buffer {
		return this.push(piece.replace(DATA_URL, ''));
	}

	push(piece: string): Buffer {
		const text = this.rest + piece;
		const divided = DIVIDED_ESCAPE.exec(text)?.index ?? text.length;
		const digits = digitsOf(text.slice(0, divided));
		const whole = digits.length - (digits.length % 4);
		this.rest = digits.slice(whole) + text.slice(divided);
		return Buffer.from(digits.slice(0, whole), 'base64');
	}

	end(): Buffer {
		return Buffer.from(digitsOf(this.rest), 'base64');
	}
}

/** The digits alone: without escapes and line breaks. */
function digitsOf(text: string): string {
	return text
		.replace(/\\u([\da-f]{4})/gi, (_escape, code: string) =>
			String.fromCharCode(Number.parseInt(code, 16)),
		)
		.replace(/\\[bfnrt]|[^\w+/=-]/g, '');
}
