import { MAX_ENTRIES } from '../schemas/lists';

/** The arguments of a call, which come in pieces. No piece is read twice to find where the JSON objects end. */
export class CallArguments {
	text = '';
	/** Characters that were passed on: of an empty object, which may be the beginning of another, not its end. */
	private passed = 0;
	private objects = 0;
	private depth = 0;
	private isString = false;
	private isEscaped = false;
	private isOther = false;

	/** @returns what the piece adds */
	add(piece: string): string {
		let added = piece;
		// Some services begin with an empty object, and some send each piece with all before it, as no JSON goes on.
		const isAnew = piece.startsWith('{') && isContinued(this.text, piece);
		if (isAnew || (this.text === '{}' && piece !== '')) {
			added = piece.slice(this.passed);
			Object.assign(this, new CallArguments(), { passed: this.passed });
		}
		for (let at = 0; at < piece.length && !this.isOther; at += 1) this.step(piece[at]!);
		this.text += piece;
		if (this.text.length === 2 && this.text === '{}') return '';
		this.passed += added.length;
		return added;
	}

	/** What was not passed on before the end. */
	rest(): string {
		const rest = this.text.length === 2 ? this.text.slice(this.passed) : '';
		this.passed += rest.length;
		return rest;
	}

	/** Whether the text so far is nothing but objects, as far as brackets tell. */
	get isWhole(): boolean {
		return !this.isOther && this.depth === 0 && this.objects > 0;
	}

	private step(character: string): void {
		if (this.isEscaped) this.isEscaped = false;
		else if (this.isString) {
			if (character === '\\') this.isEscaped = true;
			else this.isString = character !== '"';
		} else if (character === '{') this.depth += 1;
		else if (character === '}') {
			this.depth -= 1;
			if (this.depth === 0) this.objects += 1;
			this.isOther = this.depth < 0 || this.objects > MAX_ENTRIES;
		} else if (character === '"' && this.depth > 0) this.isString = true;
		else if (this.depth === 0) this.isOther = character > ' ';
	}
}

/** Whether a piece has all of the text before it. V8 copies a text of many pieces before it compares it, so the lengths come first. */
export function isContinued(text: string, piece: string): boolean {
	return piece.length >= text.length && piece.startsWith(text);
}
