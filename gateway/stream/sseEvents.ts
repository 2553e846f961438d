import { malformedResponse } from '../parseResponse';
import { parseResponseJsonOrUndefined, quoteLongIntegers } from '../schemas/responseJson';
import type { ServiceResponse } from '../serviceRequest';

/** Characters. Longer than any chunk: a longer line is not an event stream. */
const MAX_LINE = 8 * 1024 * 1024;
/** Characters. An event of more that are not JSON is none of the service. */
const MAX_HELD = 1024 * 1024;
/** Characters. */
const MAX_UNCHECKED = 1_024;

/**
 * Turns the bytes of an event stream into JSON values, wherever packets divide it: inside a UTF-8 character, inside a line,
 * several lines at once; LF, CRLF or CR.
 *
 * Not a general SSE parser, on purpose: the interface document defines the stream line by line ("one chunk per line",
 * Events 2), without the blank lines that an SSE parser waits for before it emits an event. A line that is not JSON begins
 * an event of several data lines, which the SSE standard joins with line breaks and ends with a blank line.
 */
export class SseEvents {
	/** Whether `data: [DONE]` has come. */
	isDone = false;
	/** Removes a byte order mark. */
	private readonly decoder = new TextDecoder();
	/** Of a line. */
	private rest = '';
	private afterCarriageReturn = false;
	/** Data lines of an event. */
	private held = '';
	/** Whether the event's name says so. */
	private isError = false;

	/** @param emit gets each value, undefined if it is not JSON, its text, and whether the event is named `error` */
	constructor(
		private readonly response: ServiceResponse,
		private readonly emit: (value: unknown, text: string, isError: boolean) => void,
	) {}

	push(bytes: Buffer): void {
		this.take(this.decoder.decode(bytes, { stream: true }));
	}

	/** The last line and the last event may have no end of their own. */
	end(): void {
		this.take(`${this.decoder.decode()}\n\n`);
	}

	private take(decoded: string): void {
		// The LF of a CRLF that two packets divide is not another line.
		const text = this.afterCarriageReturn ? decoded.replace(/^\n/, '') : decoded;
		this.afterCarriageReturn = text.endsWith('\r');
		const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
		if (end === 0) {
			this.rest += text;
			if (this.rest.length <= MAX_LINE) return;
			const message = 'The stream contains a line that does not end';
			throw malformedResponse(this.response, message, this.rest);
		}
		// Whole lines, since half a key would not be recognised; a whole packet at once, since that is several times faster.
		const whole = this.response.apiKey.redactResponse(this.rest + text.slice(0, end));
		this.rest = text.slice(end);
		const lines = whole.split(whole.includes('\r') ? /\r\n|\n|\r/ : '\n');
		// What is after the last line end is not a line yet.
		lines.pop();
		for (const line of lines) if (!this.isDone) this.takeLine(line);
	}

	/** Comments and the fields `id` and `retry` are ignored. */
	private takeLine(line: string): void {
		if (line.startsWith('data:')) this.takeData(line.slice('data:'.length).trim());
		else if (line === '') this.endEvent();
		else if (line.startsWith('event:'))
			this.isError = line.slice('event:'.length).trim() === 'error';
	}

	private takeData(data: string): void {
		if (data === '[DONE]') {
			this.endEvent();
			this.isDone = true;
			return;
		}
		const value = this.held === '' ? parseOrUndefined(data) : undefined;
		if (value !== undefined) return this.emit(value, data, this.isError);
		this.held += this.held === '' ? data : `\n${data}`;
		if (this.held.length > MAX_HELD) this.endEvent();
	}

	private endEvent(): void {
		const { held, isError } = this;
		this.held = '';
		this.isError = false;
		if (held !== '') this.emit(parseOrUndefined(held), held, isError);
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
