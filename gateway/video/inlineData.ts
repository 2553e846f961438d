import { startOfInlineData } from '../dialects';
import { ByteBuffer, hasContent } from '../http/body';

/** Bytes of a text from which on it is decoded while it arrives. A shorter one is parsed with the JSON around it. */
const LONG = 64 * 1024;
/** Enough of a text to tell base64 from words. */
const SNIFFED = 4_096;
/** JSON may escape the characters of base64, and the line breaks in it. */
const BASE64 = /^(?:[\w+/=-]|\s|\\(?:[/rnt]|u00(?:2[bdf]|3d|0[ad])))*(?:\\\w{0,4})?$/i;
const NAME = /"([^"\\]{1,100})"\s{0,99}:\s{0,99}"$/;
const BEGUN_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;
const QUOTE_BYTE = 0x22;
const BACKSLASH_BYTE = 0x5c;

/**
 * JSON that arrives in pieces, whose long inline data is decoded at once. As a part of the JSON, a video would take five times its
 * size while that is parsed; like this, it takes its own size once.
 */
export class JsonWithInlineData {
	/** The JSON, with a short text in place of each long one. */
	readonly json = new ByteBuffer();
	/** What was decoded, by the text in its place. */
	private readonly data = new Map<string, ByteBuffer>();
	/** How much of the JSON was searched, and where in it the text begins whose end has not arrived. */
	private searched = 0;
	private textAt: number | undefined;
	private isPlain = false;
	/** Of inline data whose end has not arrived: where it goes, and the characters that are not decoded yet. */
	private open: ByteBuffer | undefined;
	private left = '';

	/** @param isKept whether anyone wants the data */
	constructor(private readonly isKept: boolean) {}

	add(bytes: Buffer): void {
		const rest = this.open ? this.decode(bytes, this.open) : bytes;
		// Keep-alive bytes before the JSON are no part of it.
		if (rest === undefined || (this.json.length === 0 && !hasContent(rest))) return;
		this.json.add(rest);
		if (this.json.length > LONG) this.search();
	}

	/** The data whose place a text took; undefined for any other text. */
	dataAt(text: string): Buffer | undefined {
		return this.data.get(text)?.bytes;
	}

	private search(): void {
		const { bytes } = this.json;
		for (; this.searched < bytes.length; this.searched += 1) {
			const byte = bytes[this.searched];
			const start = this.textAt;
			if (start !== undefined && !this.isPlain && this.searched - start >= LONG) {
				const at = dataStart(bytes, start);
				if (at !== undefined) return this.takeOut(at);
				this.isPlain = true;
			}
			if (byte === BACKSLASH_BYTE && start !== undefined) this.searched += 1;
			else if (byte === QUOTE_BYTE) this.turn(this.searched + 1);
		}
	}

	/** A quotation mark begins a text or ends it. */
	private turn(at: number): void {
		this.textAt = this.textAt === undefined ? at : undefined;
		this.isPlain = false;
	}

	private takeOut(start: number): void {
		const all = this.json.take();
		const place = `inline-data-${this.data.size}`;
		this.json.add(Buffer.concat([all.subarray(0, start), Buffer.from(place)]));
		this.searched = this.json.length;
		this.open = new ByteBuffer();
		this.data.set(place, this.open);
		this.add(all.subarray(start));
	}

	/** @returns what follows the end of the data, if it has arrived */
	private decode(bytes: Buffer, into: ByteBuffer): Buffer | undefined {
		const end = bytes.indexOf(QUOTE_BYTE);
		const text = this.left + bytes.toString('latin1', 0, end === -1 ? undefined : end);
		const [begun = ''] = BEGUN_ESCAPE.exec(text) ?? [];
		const characters = unescaped(text.slice(0, text.length - begun.length));
		const whole = end === -1 ? characters.length - (characters.length % 4) : characters.length;
		if (this.isKept) into.add(Buffer.from(characters.slice(0, whole), 'base64'));
		this.left = characters.slice(whole) + begun;
		if (end === -1) return undefined;
		this.open = undefined;
		this.left = '';
		return bytes.subarray(end);
	}
}

/** Where the base64 of a text begins, if it is inline data. */
function dataStart(json: Buffer, textAt: number): number | undefined {
	const [, name = ''] = NAME.exec(json.toString('latin1', Math.max(0, textAt - 400), textAt)) ?? [];
	const text = json.toString('latin1', textAt, textAt + SNIFFED);
	const before = startOfInlineData(name, text);
	return before !== undefined && BASE64.test(text.slice(before)) ? textAt + before : undefined;
}

function unescaped(text: string): string {
	if (!/[\\\s]/.test(text)) return text;
	return text
		.replace(/\\u00([\da-f]{2})/gi, (_escape, code: string) =>
			String.fromCharCode(Number.parseInt(code, 16)),
		)
		.replace(/\\[rnt]|[\\\s]/g, '');
}
