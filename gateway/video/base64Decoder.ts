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
export function isInlineData(text: Buffer): boolean {
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
