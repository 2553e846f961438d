import { malformedResponse } from '../parseResponse';
import { joinedObjects } from '../schemas/jsonInProse';
import type { ServiceResponse } from '../serviceRequest';
import { parseEvent } from './eventJson';

/** Characters of a line. No chunk is as long: a longer line is not one of an event stream. */
const MAX_LINE = 8 * 1024 * 1024;
/** The fields of a line that are read. */
const FIELD = /^(data|event|error):(.*)$/s;
/** The beginning of an event that is parsed. Any other, such as a number or a time, only keeps the connection alive. */
const JSON_START = /^[[{]/;
/** The end of a stream. A gateway that makes JSON of all data sends the second one (BerriAI/litellm#10053). */
const DONE = ['[DONE]', '["DONE"]'];
/** The beginning of an error that is not JSON. */
const FAILURE = /^\W*error\b/i;

/** An event of a stream. */
export interface StreamEvent {
	/** Undefined if it is not JSON. */
	value: unknown;
	text: string;
	isError: boolean;
}

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
	/** The beginning of a line that has not ended. */
	private rest = '';
	/** Whether the name of the current event is "error". */
	private isError = false;

	constructor(private readonly response: ServiceResponse) {}

	push(bytes: Buffer): StreamEvent[] {
		return this.eventsIn(this.decoder.decode(bytes, { stream: true }));
	}

	/** The last line may have no end of its own. */
	end(): StreamEvent[] {
		return this.eventsIn(`${this.decoder.decode()}\n`);
	}

	private eventsIn(text: string): StreamEvent[] {
		// A carriage return at the very end may be half a line end.
		const end = Math.max(text.lastIndexOf('\n'), text.slice(0, -1).lastIndexOf('\r')) + 1;
		if (end === 0) {
			this.rest += text;
			if (this.rest.length <= MAX_LINE) return [];
			const message = 'The stream contains a line that does not end';
			throw malformedResponse(this.response, message, this.rest);
		}
		// Whole lines, since half a key would not be recognised; a whole packet at once, since that is several times faster.
		const whole = this.response.apiKey.redactResponse(this.rest + text.slice(0, end));
		this.rest = text.slice(end);
		const lines = whole.replace(/\r\n?/g, '\n').split('\n');
		// What is after the last line end is not a line yet.
		lines.pop();
		return lines.flatMap((line) => this.eventsOf(line.trim()));
	}

	/** Comments and the fields `id` and `retry` are ignored. Some services send an error as a line of JSON alone. */
	private eventsOf(line: string): StreamEvent[] {
		if (line === '') this.isError = false;
		if (line.startsWith('{')) return this.dataEvents(line, this.isError);
		const [, field, data = ''] = FIELD.exec(line) ?? [];
		if (field === 'event') this.isError = data.trim() === 'error';
		else if (field !== undefined)
			return this.dataEvents(data.trim(), this.isError || field === 'error');
		return [];
	}

	private dataEvents(text: string, isError: boolean): StreamEvent[] {
		this.isDone ||= DONE.includes(text);
		if (this.isDone || text === '') return [];
		const value = JSON_START.test(text) ? parseEvent(text) : undefined;
		// Some services forget the line end between two chunks (openai/openai-python#663).
		const joined = value === undefined ? joinedObjects(text) : [];
		if (joined.length > 1) return joined.flatMap((object) => this.dataEvents(object, isError));
		return [{ value, text, isError: isError || (value === undefined && FAILURE.test(text)) }];
	}
}
