const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const HASH = 0x23;
const X = 0x78;
const U = 0x75;
const PLUS = 0x2b;
const SLASH = 0x2f;
/** Their alternatives in base64url. */
const MINUS = 0x2d;
const UNDERSCORE = 0x5f;

/** What is not read as itself, or begins what is not. */
export const OTHERS = [BACKSLASH, PERCENT, AMPERSAND, PLUS, SLASH];

const ENTITIES = new Map([
	['lt', 0x3c],
	['gt', 0x3e],
	['quot', 0x22],
	['apos', 0x27],
]);
/** Digits of a numeric entity, leading zeros included. */
const MAX_DIGITS = 10;

/**
 * Reads a text character by character, as what it means: plain, escaped for JSON or a script, for a URL or for HTML, even
 * several times over. base64url is read as base64. Each character of the text is read once or twice.
 */
export class EscapedText {
	/** The character code that was read; NaN for none. */
	code = NaN;
	/** Where it begins, its backslashes included. */
	start = 0;
	/** Where the next one begins. */
	end = 0;

	/** @param readsPercent whether a percent sign begins an escape */
	constructor(
		private readonly text: string,
		private readonly readsPercent = true,
	) {}

	/** Reads the next character. Returns whether there is one. */
	next(): boolean {
		const { text } = this;
		if (this.end >= text.length) return false;
		this.start = this.end;
		let code = text.charCodeAt(this.end);
		this.end += 1;
		if (code === BACKSLASH) code = this.afterBackslash();
		else if (code === PERCENT && this.readsPercent) code = this.afterPercent();
		else if (code === AMPERSAND) code = this.afterAmpersand();
		this.code = urlForm(code);
		return true;
	}

	/** Reads the next character that is not ASCII, or one of these codes; others are passed over. */
	nextOf(stops: Uint8Array): boolean {
		const { text } = this;
		while (this.end < text.length && stops[text.charCodeAt(this.end)] === 0) this.end += 1;
		return this.next();
	}

	private afterBackslash(): number {
		const { text } = this;
		while (text.charCodeAt(this.end) === BACKSLASH) this.end += 1;
		const letter = text.charCodeAt(this.end);
		this.end += 1;
		const digits = letter === U ? 4 : letter === X ? 2 : 0;
		return (digits > 0 ? this.number(16, digits, digits) : undefined) ?? letter;
	}

	private afterPercent(): number {
		let code = this.number(16, 2, 2);
		while (code === PERCENT) {
			const next = this.number(16, 2, 2);
			if (next === undefined) break;
			code = next;
		}
		return code ?? PERCENT;
	}

	private afterAmpersand(): number {
		const { text } = this;
		while (text.startsWith('amp;', this.end)) this.end += 4;
		if (text.charCodeAt(this.end) !== HASH) return this.afterName();
		const begin = this.end;
		const isHex = (text.charCodeAt(this.end + 1) | 0x20) === X;
		this.end += isHex ? 2 : 1;
		const code = this.number(isHex ? 16 : 10, 1, MAX_DIGITS);
		if (code !== undefined && text.charCodeAt(this.end) === SEMICOLON) {
			this.end += 1;
			return code;
		}
		this.end = begin;
		return AMPERSAND;
	}

	private afterName(): number {
		const { text } = this;
		const length = text.charCodeAt(this.end + 2) === SEMICOLON ? 2 : 4;
		if (text.charCodeAt(this.end + length) !== SEMICOLON) return AMPERSAND;
		const code = ENTITIES.get(text.slice(this.end, this.end + length));
		if (code === undefined) return AMPERSAND;
		this.end += length + 1;
		return code;
	}

	/** Reads digits; undefined, and nothing is read, if they are fewer than the least. */
	private number(radix: 10 | 16, least: number, most: number): number | undefined {
		let value = 0;
		let at = this.end;
		for (; at < this.end + most; at += 1) {
			const digit = digitOf(this.text.charCodeAt(at));
			if (digit >= radix) break;
			value = value * radix + digit;
		}
		if (at < this.end + least) return undefined;
		this.end = at;
		return value;
	}
}

/** base64 and base64url are read as the same: the one for URLs. */
function urlForm(code: number): number {
	if (code === PLUS) return MINUS;
	return code === SLASH ? UNDERSCORE : code;
}

function digitOf(code: number): number {
	if (code >= 0x30 && code <= 0x39) return code - 0x30;
	const letter = code | 0x20;
	return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Infinity;
}
