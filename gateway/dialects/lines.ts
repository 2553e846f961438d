import { joinedObjects } from '../schemas/jsonScanner';

/** The data of one line of a stream. */
export interface Data {
	text: string;
	isError: boolean;
}

/** The fields of a line that are read. */
const LINE_FIELD = /^(data|event|error):(.*)$/s;
/** The end of a stream, as a gateway sends it that makes JSON of all data (BerriAI/litellm#10053). */
const DONE_AS_JSON = '["DONE"]';
/** The beginning of an error that is not JSON. */
const FAILURE_WORDS = /^\W*error\b/i;

/** The lines of one stream: comments and the fields `id` and `retry` are ignored. Some services send an error as a line of JSON alone. */
export class Lines {
	/** Whether the name of the current event is "error". */
	private isError = false;

	/** @returns undefined for a line without data */
	from(line: string): Data | undefined {
		if (line === '') this.isError = false;
		if (line.startsWith('{')) return { text: line, isError: this.isError };
		const [, field, data = ''] = LINE_FIELD.exec(line) ?? [];
		if (field === 'event') this.isError = data.trim() === 'error';
		if (field === undefined || field === 'event') return undefined;
		const text = data.trim();
		const isError = this.isError || field === 'error';
		return { text: text === DONE_AS_JSON ? '[DONE]' : text, isError };
	}
}

/** The chunks of a line that is not JSON: some services forget the line end between two (openai/openai-python#663). */
export function chunksInLine(text: string): string[] {
	const chunks = joinedObjects(text);
	return chunks.length > 1 ? chunks : [];
}

/** Whether data that are not JSON tell an error. */
export const isFailure = (text: string): boolean => FAILURE_WORDS.test(text);

/** The beginning of an event stream, which may be an error or a comment that keeps the connection alive. */
const SSE_LINE = /^(?:id|retry)?:|(?:^|\n)(?:data|event|error):/;
/** The beginning of a stream of lines that are chunks alone (hackclub/ai#17). */
const CHUNK_LINE = /^\{[^\n]*(?:"delta"\s*:|"chat\.completion\.chunk")/;

/** Whether a body begins as a stream does. How it begins decides, not its type. */
export function isStream(start: string): boolean {
	return SSE_LINE.test(start) || CHUNK_LINE.test(start);
}
