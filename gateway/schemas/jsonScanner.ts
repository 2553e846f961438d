/** Finds where an object or a list of JSON ends, in a text that may come in pieces, as far as brackets and quotation marks tell. */
export class JsonScanner {
	private depth = 0;
	private isString = false;
	private isEscaped = false;

	/** Whether an object or a list has begun and not ended. */
	get isInside(): boolean {
		return this.depth > 0;
	}

	/** @returns the position behind the bracket that closes what has begun, or -1 if none does before the end */
	endIn(text: string, start: number, end = text.length): number {
		for (let at = start; at < end; at += 1) {
			const character = text[at];
			if (this.isEscaped) this.isEscaped = false;
			else if (character === '"') this.isString = !this.isString;
			else if (this.isString) this.isEscaped = character === '\\';
			else if (character === '{' || character === '[') this.depth += 1;
			else if (character === '}' || character === ']') this.depth -= 1;
			if (this.depth === 0) return at + 1;
		}
		return -1;
	}
}

/** The objects that a text joins with nothing but spaces between them; empty if it is anything else. */
export function joinedObjects(text: string): string[] {
	const objects: string[] = [];
	for (let at = 0; at < text.length; ) {
		const end = text[at] === '{' ? new JsonScanner().endIn(text, at) : -1;
		if (end === -1) return [];
		objects.push(text.slice(at, end));
		at = end;
		while (text[at] === ' ') at += 1;
	}
	return objects;
}
