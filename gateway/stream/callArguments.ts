import { MAX_ENTRIES } from '../schemas/lists';

/** The arguments of a call, which come in pieces. No piece is read twice to find where the JSON objects end. */
export class CallArguments {
	text = '';
	/** Where each object ends. */
	private readonly ends: number[] = [];
	private depth = 0;
	private isString = false;
	private isEscaped = false;
	private isOther = false;

	add(piece: string): void {
		// Some services begin with an empty object, and some send each piece with all before it, as no JSON goes on.
		const isAnew = piece.startsWith('{') && isContinued(this.text, piece);
		if (isAnew || (this.text === '{}' && piece !== '')) Object.assign(this, new CallArguments());
		for (let at = 0; at < piece.length && !this.isOther; at += 1) this.step(piece[at]!, at);
		this.text += piece;
	}

	/** Whether the text so far is nothing but objects, as far as brackets tell. */
	get isWhole(): boolean {
		return !this.isOther && this.depth === 0 && this.ends.length > 0;
	}

	/** The arguments of each call: some services join those of several calls. */
	get texts(): string[] {
		const { text, ends } = this;
		return this.isWhole ? ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end)) : [text];
	}

	private step(character: string, at: number): void {
		if (this.isEscaped) this.isEscaped = false;
		else if (this.isString) {
			if (character === '\\') this.isEscaped = true;
			else this.isString = character !== '"';
		} else if (character === '{') this.depth += 1;
		else if (character === '}') {
			this.depth -= 1;
			if (this.depth === 0) this.ends.push(this.text.length + at + 1);
			this.isOther = this.depth < 0 || this.ends.length > MAX_ENTRIES;
		} else if (character === '"' && this.depth > 0) this.isString = true;
		else if (this.depth === 0) this.isOther = character > ' ';
	}
}

/** Whether a piece has all of the text before it. V8 copies a text of many pieces before it compares it, so the lengths come first. */
export function isContinued(text: string, piece: string): boolean {
	return piece.length >= text.length && piece.startsWith(text);
}
