import { malformedResponse } from '../parseResponse';
import { chunksInLine, type Data, isFailure, Lines } from '../dialects';
import { parseResourceJson } from '../schemas/responseJson';
import type { ServiceResponse } from '../serviceRequest';

/** Characters of a line. No chunk is as long: a longer line is not one of an event stream. */
const MAX_LINE = 8 * 1024 * 1024;
/** The beginning of an event that is parsed. Any other, such as a number or a time, only keeps the connection alive. */
const EVENT_START = /^[[{]/;

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
	private readonly lines = new Lines();

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
		const hasReturns = whole.includes('\r');
		const lines = (hasReturns ? whole.replace(/\r\n?/g, '\n') : whole).split('\n');
		// What is after the last line end is not a line yet.
		lines.pop();
		const events: StreamEvent[] = [];
		for (const line of lines) {
			const data = this.lines.from(line.trim());
			if (data !== undefined) this.addEvents(events, data);
		}
		return events;
	}

	private addEvents(events: StreamEvent[], { text, isError }: Data): void {
		this.isDone ||= text === '[DONE]';
		if (this.isDone || text === '') return;
		const value = EVENT_START.test(text) ? parseEvent(text) : undefined;
		const chunks = value === undefined ? chunksInLine(text) : [];
		if (chunks.length > 0)
			for (const chunk of chunks) this.addEvents(events, { text: chunk, isError });
		else events.push({ value, text, isError: isError || (value === undefined && isFailure(text)) });
	}
}

function parseEvent(text: string): unknown {
	try {
		return parseResourceJson(text);
	} catch {
		return undefined;
	}
}
