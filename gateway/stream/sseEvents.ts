/**
 * Makes JSON values of the data lines of an event stream. The interface document has one value per line, which is handed
 * on without waiting for more; what is no JSON by itself is the beginning of an event of several data lines, which the
 * standard of such streams joins by line breaks.
 */
export class SseEvents {
	private held: string[] = [];

	/**
	 * @param hand gets each value, undefined for what is no JSON, and its text
	 * @param isWhole whether a value can only be an event of its own, and no part of one
	 */
	constructor(
		private readonly hand: (value: unknown, text: string) => void,
		private readonly isWhole: (value: unknown) => boolean,
	) {}

	/** @param line a data line, or an empty one, which ends an event */
	take(line: string): void {
		if (line === '') return this.end();
		const value = parseOrUndefined(line);
		// Some services send no blank lines.
		if (this.held.length > 0 && this.isWhole(value)) this.end();
		if (this.held.length === 0 && value !== undefined) this.hand(value, line);
		else this.held.push(line);
	}

	/** Nothing more belongs to the event. */
	end(): void {
		if (this.held.length === 0) return;
		const text = this.held.join('\n');
		this.held = [];
		this.hand(parseOrUndefined(text), text);
	}
}

function parseOrUndefined(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
