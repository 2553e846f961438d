import { quoteLongIntegers } from '../schemas/longIntegers';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';

/** Characters. */
const MAX_UNCHECKED = 1_024;

/**
 * Turns the data lines of an event stream into JSON values. The interface document has one value per line, which is passed
 * on without waiting for more; a line that is not JSON begins an event of several data lines, which the
 * SSE standard joins with line breaks.
 */
export class SseEvents {
	private held: string[] = [];

	/**
	 * @param emit gets each value, undefined if it is not JSON, and its text
	 * @param isWhole whether a value can only be a complete event, not a part of one
	 */
	constructor(
		private readonly emit: (value: unknown, text: string) => void,
		private readonly isWhole: (value: unknown) => boolean,
	) {}

	/** @param line a data line, or an empty one, which ends an event */
	take(line: string): void {
		if (line === '') return this.end();
		const value = parseOrUndefined(line);
		// Some services send no blank lines.
		if (this.held.length > 0 && value !== undefined && this.isWhole(value)) this.end();
		if (this.held.length === 0 && value !== undefined) this.emit(value, line);
		else this.held.push(line);
	}

	/** Ends the event. */
	end(): void {
		if (this.held.length === 0) return;
		const text = this.held.join('\n');
		this.held = [];
		this.emit(parseOrUndefined(text), text);
	}
}

/** Most events are too short for any harm, and many: checking the levels of each takes 5 % of the time to read a stream. */
function parseOrUndefined(text: string): unknown {
	const json = quoteLongIntegers(text);
	if (json.length > MAX_UNCHECKED) return parseResponseJsonOrUndefined(json);
	try {
		return JSON.parse(json) as unknown;
	} catch {
		return undefined;
	}
}
