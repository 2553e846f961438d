import { withoutThoughts } from '../dialects';
import type { Completion } from '../schemas/chat';
import {
	parseResponseJson,
	parseResponseJsonOrUndefined,
	plainText,
} from '../schemas/responseJson';
import { callsIn, firstChoice, textOf } from './answer';
import { jsonInProse } from './jsonInProse';

/** A code fence at the start of a line, where no string of JSON can contain one; then anywhere. */
const CODE_FENCES = [/^[ \t]*```/m, '```'];
/** The language of a fenced block. */
const LANGUAGE = /^\w*/;

/** Fenced blocks of one answer that may be JSON. */
const MAX_BLOCKS = 100;

/**
 * The JSON values in a model's answer: its whole text, or its code blocks, of which the last one is the answer, or the only object or
 * list in its prose. Undefined if there is none; a response that calls tools is no answer yet, so it needs none.
 */
export function jsonValuesIn(completion: Completion): unknown[] | undefined {
	for (const candidates of candidatesIn(textOf(completion))) {
		const values = candidates
			.map(parseResponseJsonOrUndefined)
			.filter((json) => json !== undefined);
		if (values.length > 0) return values;
	}
	const inProse = jsonInProse(withoutThoughts(textOf(completion)));
	if (inProse !== undefined) return [inProse];
	return callsIn(firstChoice(completion).message).length > 0 ? [] : undefined;
}

/** Where the JSON of an answer breaks, in the words of JavaScript; undefined if nothing in it looks like JSON. */
export function whereJsonBreaks(text: string): string | undefined {
	const candidate = candidatesIn(text)
		.flat()
		.find((one) => /^\s*[{[]/.test(one));
	try {
		if (candidate !== undefined) parseResponseJson(candidate.trim());
	} catch (error) {
		return error instanceof Error ? error.message : plainText(error);
	}
	return undefined;
}

/** The texts of an answer that may be JSON, without the model's thoughts: the whole answer, then its code blocks. */
function candidatesIn(text: string): string[][] {
	const isJson = parseResponseJsonOrUndefined(text) !== undefined;
	const whole = isJson ? text : withoutThoughts(text);
	const fenced = CODE_FENCES.map((fence) =>
		whole
			.split(fence, MAX_BLOCKS * 2)
			.filter((_, index) => index % 2 === 1)
			.map((code) => code.replace(LANGUAGE, '')),
	);
	return [[whole], ...fenced];
}
