import { JsonScanner } from '../schemas/jsonScanner';
import { MAX_ENTRIES } from '../schemas/lists';

/** The arguments of a call, which come in pieces. No piece is read twice to find where the JSON objects end. */
export class CallArguments {
	text = '';
	/** Characters that were passed on: of an empty object, which may be the beginning of another, not its end. */
	private passed = 0;
	private objects = 0;
	private isOther = false;
	private scanner = new JsonScanner();

	/** @returns what the piece adds */
	add(piece: string): string {
		// Some services begin with an empty object, and some send each piece with all before it, as no JSON goes on.
		const isAnew = this.isEmptyObject
			? piece !== ''
			: piece.startsWith('{') && isContinued(this.text, piece);
		if (isAnew) this.beginAnew();
		this.text += piece;
		this.scan(piece);
		return this.isEmptyObject ? '' : this.passOn(isAnew ? piece.slice(this.passed) : piece);
	}

	/** What was not passed on before the end. */
	rest(): string {
		return this.isEmptyObject ? this.passOn(this.text.slice(this.passed)) : '';
	}

	/** Whether the text so far is nothing but objects, as far as brackets tell. */
	get isWhole(): boolean {
		return !this.isOther && !this.scanner.isInside && this.objects > 0;
	}

	/** A text of many pieces is copied before it is compared, so its length comes first. */
	get isEmptyObject(): boolean {
		return this.text.length === 2 && this.text === '{}';
	}

	private beginAnew(): void {
		this.text = '';
		this.objects = 0;
		this.isOther = false;
		this.scanner = new JsonScanner();
	}

	private passOn(added: string): string {
		this.passed += added.length;
		return added;
	}

	private scan(piece: string): void {
		for (let at = 0; at < piece.length && !this.isOther; ) {
			const isBetween = !this.scanner.isInside;
			if (isBetween && piece[at]! <= ' ') at += 1;
			else if (isBetween && piece[at] !== '{') this.isOther = true;
			else {
				const end = this.scanner.endIn(piece, at);
				if (end === -1) return;
				at = end;
				this.objects += 1;
				this.isOther = this.objects > MAX_ENTRIES;
			}
		}
	}
}

/** Whether a piece has all of the text before it. */
export function isContinued(text: string, piece: string): boolean {
	return piece.length >= text.length && piece.startsWith(text);
}
