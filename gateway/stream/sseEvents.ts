import { parseResponseJsonOrUndefined, quoteLongIntegers } from '../schemas/responseJson';

/** Characters. */
const MAX_UNCHECKED = 1_024;
/** An event of more lines or characters that are not JSON is none of the service. */
const MAX_HELD = 1_000;
const MAX_HELD_CHARACTERS = 1024 * 1024;

/**
 * Turns the lines of an event stream into JSON values. The interface document has one value per `data:` line, which is
 * passed on without waiting for more; a line that is not JSON begins an event of several data lines, which the
 * SSE standard joins with line breaks.
 */
export class SseEvents {
	/** Whether `data: [DONE]` has come. */
	isDone = false;
	/** Whether any event has begun. */
	hasBegun = false;
	private held: string[] = [];
	private heldCharacters = 0;
	/** Whether the event's name says so. */
	private isError = false;

	/**
	 * @param emit gets each value, undefined if it is not JSON, its text, and whether the event is named `error`
	 * @param isWhole whether a value can only be a complete event, not a part of one
	 */
	constructor(
		private readonly emit: (value: unknown, text: string, isError: boolean) => void,
		private readonly isWhole: (value: unknown) => boolean,
	) {}

	/** Comments and the fields `id` and `retry` are ignored. An empty line ends an event. */
	take(line: string): void {
		if (this.isDone) return;
		if (line.startsWith('data:')) this.takeData(line.slice('data:'.length).trim());
		else if (line === '') this.end();
		else if (line.startsWith('event:'))
			this.isError = line.slice('event:'.length).trim() === 'error';
	}

	private takeData(data: string): void {
		if (data === '') return;
		this.hasBegun = true;
		if (data === '[DONE]') {
			this.end();
			this.isDone = true;
			return;
		}
		const value = parseOrUndefined(data);
		// Some services send no blank lines.
		if (this.held.length > 0 && value !== undefined && this.isWhole(value)) this.endData();
		if (this.held.length === 0 && value !== undefined) return this.emit(value, data, this.isError);
		this.held.push(data);
		this.heldCharacters += data.length;
		if (this.held.length > MAX_HELD || this.heldCharacters > MAX_HELD_CHARACTERS) this.endData();
	}

	/** Ends the event. */
	end(): void {
		this.endData();
		this.isError = false;
	}

	private endData(): void {
		if (this.held.length === 0) return;
		const text = this.held.join('\n');
		this.held = [];
		this.heldCharacters = 0;
		this.emit(parseOrUndefined(text), text, this.isError);
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
