import { joinedObjects } from '../schemas/jsonInProse';

/** The data of one line of a stream. */
export interface Data {
	text: string;
	isError: boolean;
}

/** The fields of a line that are read. */
const FIELD = /^(data|event|error):(.*)$/s;
/** The end of a stream, as a gateway sends it that makes JSON of all data (BerriAI/litellm#10053). */
const DONE_AS_JSON = '["DONE"]';
/** The beginning of an error that is not JSON. */
const FAILURE = /^\W*error\b/i;
/** Two chunks, or a text that looks like them. */
const MAY_BE_JOINED = /\} ?\{/;

/** The lines of one stream: comments and the fields `id` and `retry` are ignored. Some services send an error as a line of JSON alone. */
export class Lines {
	/** Whether the name of the current event is "error". */
	private isError = false;

	from(line: string): Data[] {
		if (line === '') this.isError = false;
		if (line.startsWith('{')) return dataOf(line, this.isError);
		const [, field, data = ''] = FIELD.exec(line) ?? [];
		if (field === 'event') this.isError = data.trim() === 'error';
		else if (field !== undefined) return dataOf(data.trim(), this.isError || field === 'error');
		return [];
	}
}

function dataOf(text: string, isError: boolean): Data[] {
	if (text === DONE_AS_JSON) return [{ text: '[DONE]', isError }];
	// Some services forget the line end between two chunks (openai/openai-python#663).
	const joined = MAY_BE_JOINED.test(text) ? joinedObjects(text) : [];
	const texts = joined.length > 1 ? joined : [text];
	return texts.map((one) => ({ text: one, isError }));
}

/** Whether data that are not JSON tell an error. */
export const isFailure = (text: string): boolean => FAILURE.test(text);

/** The beginning of an event stream, which may be an error or a comment that keeps the connection alive. */
const SSE_LINE = /^(?:id|retry)?:|(?:^|\n)(?:data|event|error):/;
/** The beginning of a stream of lines that are chunks alone (hackclub/ai#17). */
const CHUNK_LINE = /^\{[^\n]*(?:"delta"\s*:|"chat\.completion\.chunk")/;

/** Whether a body begins as a stream does. How it begins decides, not its type. */
export function isStream(start: string): boolean {
	return SSE_LINE.test(start) || CHUNK_LINE.test(start);
}
