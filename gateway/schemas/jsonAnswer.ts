import type { MalformedResponseError } from '../errors/gatewayError';
import { malformedAnswer } from '../errors/malformedAnswer';
import { type ChatCompletion, firstChoice } from './chat';
import { parseResponseJson, parseResponseJsonOrUndefined } from './responseJson';

/** At the start of a line, where no string inside JSON can contain one; then anywhere. */
const CODE_FENCES = [/^[ \t]*```/m, '```'];
/** The language of a fenced block. */
const LANGUAGE = /^\w*/;

/** Fenced blocks of one answer that may be JSON. */
const MAX_BLOCKS = 100;

/**
 * The JSON in a model's answer, as its whole text or inside a code fence; undefined if there is none. A response that
 * calls tools is no answer yet, so it needs no JSON.
 */
export function parseJsonAnswer(
	completion: ChatCompletion,
): { json: unknown } | { json?: undefined } | undefined {
	const message = firstChoice(completion).message;
	for (const candidate of candidatesIn(message.content ?? '')) {
		const json = parseResponseJsonOrUndefined(candidate);
		if (json !== undefined) return { json };
	}
	const calls = message.tool_calls;
	return Array.isArray(calls) && calls.length > 0 ? {} : undefined;
}

/** What may be JSON in a model's answer: the whole text, and its code blocks. */
function candidatesIn(text: string): string[] {
	const fenced = CODE_FENCES.flatMap((fence) =>
		text.split(fence, MAX_BLOCKS * 2).filter((_, index) => index % 2 === 1),
	);
	return [text, ...fenced.map((code) => code.replace(LANGUAGE, ''))];
}

/** Where the JSON of an answer breaks, in the words of JavaScript; undefined if nothing in it looks like JSON. */
function whereItBreaks(text: string): string | undefined {
	const candidate = candidatesIn(text).find((one) => /^\s*[{[]/.test(one));
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
	const choice = firstChoice(completion);
	const text = redact(choice.message.content ?? '');
	const reason = whereItBreaks(text);
	const isCutOff = choice.finish_reason === 'length';
	const advice = isCutOff
		? 'The answer was cut off: increase Max Tokens.'
		: 'Describe the expected JSON in a message, or set response_format in Additional Body if the model supports it. Retry On Fail asks the model again.';
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
