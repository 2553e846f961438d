import { MalformedResponseError } from '../errors/gatewayError';
import type { ChatCompletion } from './chat';

/** At the start of a line: inside JSON, no string can contain one there. */
const CODE_FENCE = /^[ \t]*```/m;
/** The language of a fenced block. */
const LANGUAGE = /^\w*/;

const MOST_SHOWN = 300;

/** The JSON in a model's answer, as its whole text or inside a code fence; undefined if there is none. */
export function parseJsonAnswer(completion: ChatCompletion): { json: unknown } | undefined {
	const text = textOf(completion);
	const fenced = text.split(CODE_FENCE).filter((_, index) => index % 2 === 1);
	for (const candidate of [text, ...fenced.map((code) => code.replace(LANGUAGE, ''))]) {
		try {
			return { json: JSON.parse(candidate) as unknown };
		} catch {
			continue;
		}
	}
	return undefined;
}

/** The error for an answer without JSON. Its `partialText` is the whole text, which is paid for. */
export function noJsonError(completion: ChatCompletion): MalformedResponseError {
	const text = textOf(completion);
	const error = new MalformedResponseError('The model did not answer with JSON', {
		status: 200,
		bodyStart: text.slice(0, MOST_SHOWN),
		advice:
			completion.choices[0]?.finish_reason === 'length'
				? 'The answer was cut off: increase Max Tokens.'
				: 'Say in a message what JSON you expect, or set response_format in Additional Body if the model supports it. Retry On Fail asks the model again.',
	});
	error.partialText = text;
	return error;
}

/** The first choice need not come first. */
function textOf({ choices }: ChatCompletion): string {
	const choice = choices.find(({ index }) => index === 0) ?? choices[0];
	return choice?.message.content ?? '';
}
