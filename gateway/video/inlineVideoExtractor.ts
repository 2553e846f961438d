import { ByteBuffer } from '../http/body';
import type { ByteStream } from '../http/inspectStream';

/** Parts of a body that are longer are taken piece by piece. */
const MAX_PIECE = 64 * 1024;

const QUOTE = 0x22;

export const DATA_URL = /^data:[^,"]{0,200};base64,/i;
/**
 * Up to the inline data of a JSON text. A quote in a text of the task follows a backslash, so that no text passes for a field.
 * With as many characters as the beginning of a data URL may have, or all there are.
 */
const BEGIN =
	/"(?:b64_json"|url"(?=\s*:\s*"data:[^,"]{0,200};base64,))\s*:\s*"(?=[^"]{256}|[^"]+")(?:data:[^,"]{0,200};base64,)?/i;
/** More characters than have to be there at once. */
const MAX_BEGIN = 1_024;

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
 * Extracts the inline data of a JSON text as it arrives, so that a video is never in memory as a whole: what the first field
 * of inline data has is decoded, and left out.
 */
export class InlineVideoExtractor {
	/** Without the inline data. */
	readonly json = new ByteBuffer();
	/** What is decoded of the video, until it is taken. */
	readonly decoded = new ByteBuffer();
	/** How much of the video has arrived. */
	videoBytes = 0;
	/** Of the video, until its string ends. */
	private decoder: Base64Decoder | undefined;
	private hasVideo = false;

	push(bytes: Buffer): void {
		for (let start = 0; start < bytes.length; start += MAX_PIECE) {
			const piece = bytes.subarray(start, start + MAX_PIECE);
			this.keep(this.decoder === undefined ? piece : this.decode(this.decoder, piece));
		}
	}

	/** Takes JSON that is no inline data, up to where inline data begins. */
	private keep(bytes: Buffer): void {
		const { json } = this;
		const from = Math.max(0, json.length - MAX_BEGIN);
		json.add(bytes);
		if (this.hasVideo) return;
		const begin = BEGIN.exec(json.bytes.toString('latin1', from));
		if (begin === null) return;
		const start = from + begin.index + begin[0].length;
		const whole = json.take();
		json.add(whole.subarray(0, start));
		this.hasVideo = true;
		this.decoder = new Base64Decoder();
		this.push(whole.subarray(start));
	}

	/** @returns what follows the inline data */
	private decode(decoder: Base64Decoder, bytes: Buffer): Buffer {
		// No quote in inline data is escaped.
		const quote = bytes.indexOf(QUOTE);
		const end = quote === -1 ? bytes.length : quote;
		this.add(decoder.push(bytes.toString('latin1', 0, end)));
		if (quote !== -1) {
			this.add(decoder.end());
			this.decoder = undefined;
		}
		return bytes.subarray(end);
	}

	private add(bytes: Buffer): void {
		this.videoBytes += bytes.length;
		this.decoded.add(bytes);
	}
}

/** An escape that the next piece of the text completes. */
const DIVIDED_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;

/**
 * Decodes inline data from the pieces of a string of a JSON text. Some servers break its lines, some escape its slashes, plus
 * and equals signs.
 */
class Base64Decoder {
	/** Digits that do not form whole bytes yet, and an incomplete escape. */
	private rest = '';

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
