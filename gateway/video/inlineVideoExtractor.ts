import { ByteBuffer } from '../http/body';
import type { ByteStream } from '../http/inspectStream';

/** Texts of a task are hardly ever this long: a longer string goes to a store if it can be inline data. */
const MAX_TEXT = 256 * 1024;

/** Parts of a body that are longer are taken piece by piece: a long string is in several of them. */
const MAX_PIECE = 64 * 1024;

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

/** Where a large inline video is kept. All of it is written before it is read. */
export interface InlineVideoStore extends InlineVideo {
	write(bytes: Buffer): Promise<void> | void;
}

/**
 * Extracts the inline data of a JSON text as it arrives, so that a video is never in memory as a whole:
 * the first long string that can be inline data is decoded and replaced by a data URL without data.
 */
export class InlineVideoExtractor {
	/** Without the inline data. */
	readonly json = new ByteBuffer();
	/** What is decoded of the video, until it is taken. */
	readonly decoded = new ByteBuffer();
	/** How much of the video has arrived. */
	videoBytes = 0;
	private isInString = false;
	private isEscaped = false;
	/** Where the current string begins in the JSON. */
	private stringStart = 0;
	/** Of the string that is the video, until it ends. */
	private decoder: Base64Decoder | undefined;
	private hasVideo = false;

	push(bytes: Buffer): void {
		for (let start = 0; start < bytes.length; start += MAX_PIECE) {
			const piece = bytes.subarray(start, start + MAX_PIECE);
			this.keep(this.decoder === undefined ? piece : this.decode(this.decoder, piece));
		}
	}

	/** Takes JSON that is no inline data, or not known to be. */
	private keep(bytes: Buffer): void {
		const { json } = this;
		for (let at = 0; at < bytes.length; at += 1) {
			if (this.isEscaped) this.isEscaped = false;
			else if (bytes[at] === BACKSLASH) this.isEscaped = true;
			else if (bytes[at] === QUOTE) {
				this.isInString = !this.isInString;
				this.stringStart = json.length + at + 1;
			}
		}
		json.add(bytes);
		const isLong = this.isInString && json.length - this.stringStart > MAX_TEXT;
		if (isLong && !this.hasVideo) this.divert(json.bytes.subarray(this.stringStart));
	}

	/** From here on the current string is decoded, if it can be inline data. */
	private divert(text: Buffer): void {
		if (!isInlineData(text)) return;
		this.hasVideo = true;
		this.isEscaped = false;
		this.decoder = new Base64Decoder();
		this.add(this.decoder.first(text.toString('latin1')));
		// A copy: what follows is added to it, and the bytes may be those of the body.
		this.json.add(Buffer.from(this.json.take().subarray(0, this.stringStart)));
	}

	/** @returns what follows the inline data */
	private decode(decoder: Base64Decoder, bytes: Buffer): Buffer {
		// No quote in inline data is escaped.
		const quote = bytes.indexOf(QUOTE);
		const end = quote === -1 ? bytes.length : quote;
		this.add(decoder.push(bytes.toString('latin1', 0, end)));
		if (quote !== -1) {
			this.add(decoder.end());
			this.json.add(EXTRACTED);
			this.decoder = undefined;
		}
		return bytes.subarray(end);
	}

	private add(bytes: Buffer): void {
		this.videoBytes += bytes.length;
		this.decoded.add(bytes);
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

export function decodeInlineData(text: string): Buffer {
	return Buffer.from(text.replace(DATA_URL, ''), 'base64');
}

/** Decodes inline data from the pieces of a string of a JSON text. The first piece has all of the data URL's beginning. */
class Base64Decoder {
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
