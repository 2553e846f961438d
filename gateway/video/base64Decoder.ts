/** `data:video/mp4;base64,` in a JSON text. */
const DATA_ADDRESS = /^data:[^,"]{0,200};base64,/i;
/** A text of this many characters contains a space, a full stop or a comma. */
const ENOUGH_TO_TELL = 4_096;
/** Base64 in a JSON text: some servers break its lines, some escape its slashes, plus and equals signs. */
const ENCODED = /^(?:[\w+/=-]|\\[nrt/]|\\u00(?:2b|2f|3d|0a|0d))*(?:\\(?:u[\da-f]{0,3})?)?$/i;
/** An escape that the next piece of the text completes. */
const DIVIDED_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;
const ESCAPES_AND_OTHERS = /\\u([\da-f]{4})|\\[bfnrt]|[^\w+/=-]/gi;

/** Whether a string of a JSON text that begins like this is inline data, not a long text. */
export function isInlineData(beginning: string): boolean {
	return ENCODED.test(beginning.slice(0, ENOUGH_TO_TELL).replace(DATA_ADDRESS, ''));
}

/** Whether a task contains its video as a data URL. */
export function isDataAddress(url: unknown): url is string {
	return typeof url === 'string' && DATA_ADDRESS.test(url);
}

/** Decodes inline data from the pieces of a string of a JSON text, wherever they are divided. */
export class Base64Decoder {
	private isFirst = true;
	/** Digits that do not form whole bytes yet, and an incomplete escape. */
	private rest = '';

	push(piece: string): Buffer {
		const text = this.rest + (this.isFirst ? piece.replace(DATA_ADDRESS, '') : piece);
		this.isFirst = false;
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

/** The digits alone. */
function digitsOf(text: string): string {
	return text.replace(ESCAPES_AND_OTHERS, (_escape, code?: string) => {
		const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
		return /[\w+/=-]/.test(character) ? character : '';
	});
}
