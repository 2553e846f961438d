import { malformedResponse } from '../parseResponse';
import type { ServiceResponse } from '../serviceRequest';

/** Longer than any chunk: a longer line is not an event stream. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * Splits an event stream into its lines, wherever packets divide it: inside a UTF-8 character, inside a
 * line, several lines at once; LF, CRLF or CR.
 *
 * Not a general SSE parser, on purpose: the interface document defines the stream line by line ("one chunk
 * per line", Events 2), without the blank lines that an SSE parser waits for before it emits an event.
 */
export class SseLines {
	/** Removes a byte order mark. */
	private readonly decoder = new TextDecoder();
	private rest = '';
	private afterCarriageReturn = false;

	constructor(private readonly response: ServiceResponse) {}

	/** The lines that these bytes complete, without the key. */
	push(bytes: Buffer): string[] {
		return this.cut(this.decoder.decode(bytes, { stream: true }));
	}

	/** A last line without a line end. */
	end(): string[] {
		return this.cut(`${this.decoder.decode()}\n`);
	}

	private cut(text: string): string[] {
		// The LF of a CRLF that two packets divide is not another line.
		const start = this.afterCarriageReturn && text.startsWith('\n') ? 1 : 0;
		if (text !== '') this.afterCarriageReturn = text.endsWith('\r');
		const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
		if (end <= start) {
			this.rest += text.slice(start);
			if (this.rest.length > MAX_LINE) throw this.tooLong();
			return [];
		}
		// Whole lines, since half a key would not be recognised; a whole packet at once, since that is several times faster.
		const whole = this.response.apiKey.redactResponse(this.rest + text.slice(start, end));
		this.rest = text.slice(end);
		const lines = whole.split(whole.includes('\r') ? /\r\n|\n|\r/ : '\n');
		// What is after the last line end is not a line yet.
		lines.pop();
		return lines;
	}

	private tooLong() {
		const message = 'The stream contains a line that does not end';
		return malformedResponse(this.response, message, this.rest);
	}
}
