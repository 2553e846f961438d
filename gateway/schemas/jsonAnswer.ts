import { MalformedResponseError } from '../errors/gatewayError';
import { type ChatCompletion, firstChoice } from './chat';
import { parseResponseJson } from './responseJson';

/** At the start of a line: inside JSON, no string can contain one there. */
const CODE_FENCE = /^[ \t]*```/m;
/** The language of a fenced block. */
const LANGUAGE = /^\w*/;

/** Fenced blocks of one answer that may be JSON. */
const MAX_BLOCKS = 100;

const MAX_SHOWN = 300;

/**
 * The JSON in a model's answer, as its whole text or inside a code fence; undefined if there is none. A response that
 * calls tools is no answer yet, so it needs no JSON.
 */
export function parseJsonAnswer(
	completion: ChatCompletion,
): { json: unknown } | { json?: undefined } | undefined {
	const message = firstChoice(completion)?.message;
	const text = message?.content ?? '';
	const fenced = text.split(CODE_FENCE, MAX_BLOCKS * 2).filter((_, index) => index % 2 === 1);
	for (const candidate of [text, ...fenced.map((code) => code.replace(LANGUAGE, ''))]) {
		try {
			return { json: parseResponseJson(candidate) };
		} catch {
			continue;
		}
	}
	const calls = message?.tool_calls;
	return Array.isArray(calls) && calls.length > 0 ? {} : undefined;
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
	const text = redact(choice?.message.content ?? '');
	const error = new MalformedResponseError('The model did not answer with JSON', {
		status: 200,
		bodyStart: text.slice(0, MAX_SHOWN),
		advice:
			choice?.finish_reason === 'length'
				? 'The answer was cut off: increase Max Tokens.'
				: 'Describe the expected JSON in a message, or set response_format in Additional Body if the model supports it. Retry On Fail asks the model again.',
	});
	error.partialText = text;
	return error;
}
