import { malformedResponse } from '../parseResponse';
import { parseResponseJsonOrUndefined, quoteLongNumbers } from '../schemas/responseJson';
import type { ServiceResponse } from '../serviceRequest';

/** Characters. Longer than any chunk: a longer line is not an event stream. */
const MAX_LINE = 8 * 1024 * 1024;
/** Characters. */
const MAX_UNCHECKED = 1_024;
/** The fields of a line that matter. */
const FIELD = /^(data|event|error):(.*)$/s;
/** Nothing else is looked for: a number or a time only keeps the connection alive. */
const JSON_START = /^[[{]/;
/** The end of a stream, also as a gateway sends it that makes JSON of all data (BerriAI/litellm#10053). */
const DONE = ['[DONE]', '["DONE"]'];
/** Words of a failure that are no JSON. */
const FAILURE = /^\W*error\b/i;

/**
 * Turns the bytes of an event stream into JSON values, wherever packets divide it: inside a UTF-8 character, inside a line,
 * several lines at once.
 *
 * Not a general SSE parser, on purpose: the interface document defines the stream line by line ("one chunk per line",
 * Events 2), without the blank lines that an SSE parser waits for before it emits an event.
 */
export class SseEvents {
	/** Whether `data: [DONE]` has come. */
	isDone = false;
	/** Removes a byte order mark. */
	private readonly decoder = new TextDecoder();
	/** Of a line. */
	private rest = '';
	/** Whether the event's name says so. */
	private isError = false;

	/** @param emit gets each value, undefined if it is not JSON, its text, and whether it is an error */
	constructor(
		private readonly response: ServiceResponse,
		private readonly emit: (value: unknown, text: string, isError: boolean) => void,
	) {}

	push(bytes: Buffer): void {
		this.take(this.decoder.decode(bytes, { stream: true }));
	}

	/** The last line may have no end of its own. */
	end(): void {
		this.take(`${this.decoder.decode()}\n`);
	}

	private take(text: string): void {
		// A carriage return at the very end may be half a line end.
		const end = Math.max(text.lastIndexOf('\n'), text.slice(0, -1).lastIndexOf('\r')) + 1;
		if (end === 0) {
			this.rest += text;
			if (this.rest.length <= MAX_LINE) return;
			const message = 'The stream contains a line that does not end';
			throw malformedResponse(this.response, message, this.rest);
		}
		// Whole lines, since half a key would not be recognised; a whole packet at once, since that is several times faster.
		const whole = this.response.apiKey.redactResponse(this.rest + text.slice(0, end));
		this.rest = text.slice(end);
		const lines = whole.replace(/\r\n?/g, '\n').split('\n');
		// What is after the last line end is not a line yet.
		lines.pop();
		for (const line of lines) if (!this.isDone) this.takeLine(line.trim());
	}

	/** Comments and the fields `id` and `retry` are ignored. Some services send an error as a line of JSON alone. */
	private takeLine(line: string): void {
		if (line === '') this.isError = false;
		else if (line.startsWith('{')) this.takeData(line, this.isError);
		else {
			const [, field, value = ''] = FIELD.exec(line) ?? [];
			if (field === 'event') this.isError = value.trim() === 'error';
			else if (field !== undefined) this.takeData(value.trim(), this.isError || field === 'error');
		}
	}

	private takeData(data: string, isError: boolean): void {
		if (DONE.includes(data)) this.isDone = true;
		else if (data !== '') {
			const value = JSON_START.test(data) ? parseOrUndefined(data) : undefined;
			this.emit(value, data, isError || (value === undefined && FAILURE.test(data)));
		}
	}
}

/** Most events are too short for any harm, and many: checking the levels of each takes 5 % of the time to read a stream. */
function parseOrUndefined(text: string): unknown {
	const json = quoteLongNumbers(text);
	if (json.length > MAX_UNCHECKED) return parseResponseJsonOrUndefined(json);
	try {
		return JSON.parse(json) as unknown;
	} catch {
		return undefined;
	}
}
