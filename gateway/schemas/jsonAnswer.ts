import { malformedAnswer, type MalformedResponseError } from '../errors/gatewayError';
import { answerEnd, type ChatCompletion, firstChoice, textOf } from './chat';
import { parseResponseJson, parseResponseJsonOrUndefined } from './responseJson';

/** At the start of a line, where no string inside JSON can contain one; then anywhere. */
const CODE_FENCES = [/^[ \t]*```/m, '```'];
/** The language of a fenced block. */
const LANGUAGE = /^\w*/;

/** Fenced blocks of one answer that may be JSON. */
const MAX_BLOCKS = 100;

/** What a reasoning model thinks before its answer, whose beginning some services leave out. */
const THOUGHTS = /^(?:\s*<think>(?:[\s\S]*?<\/think>|[\s\S]*)|[\s\S]*?<\/think>)/i;

interface JsonAnswer {
	json?: unknown;
	/** How many JSON values the answer has: this is the last. */
	count: number;
}

/**
 * The JSON in a model's answer, as its whole text or inside a code fence; undefined if there is none. A response that
 * calls tools is no answer yet, so it needs no JSON.
 */
export function parseJsonAnswer(completion: ChatCompletion): JsonAnswer | undefined {
	const { whole, fenced } = candidatesIn(textOf(completion));
	for (const candidates of [[whole], ...fenced]) {
		const values = candidates
			.map(parseResponseJsonOrUndefined)
			.filter((json) => json !== undefined);
		if (values.length > 0) return { json: values.at(-1), count: values.length };
	}
	const calls = firstChoice(completion).message.tool_calls;
	return Array.isArray(calls) && calls.length > 0 ? { count: 0 } : undefined;
}

/** What may be JSON in a model's answer, which is not what it thinks: the whole text, and its code blocks. */
function candidatesIn(text: string): { whole: string; fenced: string[][] } {
	const isJson = parseResponseJsonOrUndefined(text) !== undefined;
	const whole = isJson ? text : text.replace(THOUGHTS, '');
	const fenced = CODE_FENCES.map((fence) =>
		whole
			.split(fence, MAX_BLOCKS * 2)
			.filter((_, index) => index % 2 === 1)
			.map((code) => code.replace(LANGUAGE, '')),
	);
	return { whole, fenced };
}

/** Where the JSON of an answer breaks, in the words of JavaScript; undefined if nothing in it looks like JSON. */
function whereItBreaks(text: string): string | undefined {
	const { whole, fenced } = candidatesIn(text);
	const candidate = [whole, ...fenced.flat()].find((one) => /^\s*[{[]/.test(one));
	if (candidate === undefined) return undefined;
	try {
		parseResponseJson(candidate.trim());
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
	return undefined;
}

/**
 * The error for an answer without JSON. Its `partialText` is the whole text, which is paid for.
 * @param redact takes the key out of a text
 */
export function noJsonError(
	completion: ChatCompletion,
	redact: (text: string) => string,
): MalformedResponseError {
	const text = redact(textOf(completion));
	const reason = whereItBreaks(text);
	const isCutOff = answerEnd(completion) === 'length';
	const advice = isCutOff
		? 'The answer was cut off: increase Max Tokens.'
		: 'Add this sentence to a message: "Answer only with JSON." Name the fields there, too, or set response_format in Additional Body if the model supports it. Retry On Fail asks the model again.';
	const error =
		reason === undefined
			? malformedAnswer('The model did not answer with JSON', text, advice)
			: malformedAnswer(
					"The JSON in the model's answer is not valid",
					text,
					`It breaks here: ${reason}. ${advice}`,
				);
	error.partialText = text;
	return error;
}
