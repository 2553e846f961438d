import { MalformedResponseError } from './gatewayError';

/** How much of an answer an error shows. */
const SHOWN_CHARACTERS = 300;

/**
 * The error for an answer of a model that has another form than it should have.
 * @param words the answer, or a part of it, without the key
 */
export function malformedAnswer(
	message: string,
	words: string,
	advice: string,
): MalformedResponseError {
	return new MalformedResponseError(message, {
		status: 200,
		bodyStart: words.slice(0, SHOWN_CHARACTERS),
		speaker: 'The model',
		advice,
	});
}
