import { errorFrom, reasonFrom } from '../dialects';
import { shortText } from '../lineText';
import type { ApiKey } from '../redaction';
import { type ErrorBody, errorBody, wholeErrorBody } from '../schemas/errors';
import { readAs } from '../schemas/lists';
import type { VideoTask } from '../schemas/video';

/** Characters of JSON. No service writes a longer error of a failed task. */
const MAX_TASK_ERROR = 4_096;
/** Characters of a code, of which an error shows fewer. */
export const MAX_CODE = 200;
/** Characters of all words, of which an error shows no more. */
export const MAX_WORDS = 1_000;

/** What an error says. */
export interface ErrorWords {
	message: string;
	code: string | undefined;
	/** OpenAI's class of the error, such as `insufficient_quota`. */
	type: string | undefined;
	/** The parameter that is refused. */
	parameter: string | undefined;
	/** Why the content was filtered: `data.reason`, or the categories of a filter. */
	reason: string | undefined;
}

/** Seconds that an error body asks to wait (Error codes: `rate_limit_exceeded`). */
export function retryAfterIn(body: unknown): number | undefined {
	const { data } = errorBody.lenient.safeParse(body);
	return data && general(data).data?.retry_after;
}

/** @param from the door */
function errorWordsIn(body: unknown, from: typeof errorFrom): ErrorWords | undefined {
	const { success, data } = readAs(body, errorBody, from);
	if (!success) return undefined;
	const { message, code, type, param: parameter, data: more } = general(data);
	return { message, code, type, parameter, reason: more?.reason };
}

/** The one of the two shapes that has the other one inside. */
const general = (body: ErrorBody) => ('error' in body ? body.error : body);

/** Reads the JSON of an error; undefined for any other JSON. */
export function readErrorBody(value: unknown): ErrorWords | undefined {
	return errorWordsIn(value, errorFrom);
}

/** Reads the error of a task, whose shape is undefined by the interface. */
export function wordsOf(error: unknown): ErrorWords {
	const message = typeof error === 'string' ? error : JSON.stringify(error);
	return (
		errorWordsIn(error, reasonFrom) ?? {
			message,
			code: undefined,
			type: undefined,
			parameter: undefined,
			reason: undefined,
		}
	);
}

/** The `error` of a failed task as the service sent it. Of an error that is long or has the key, only its words without the key. */
export function shownError(error: unknown, apiKey: ApiKey): unknown {
	const json = JSON.stringify(error);
	if (json.length <= MAX_TASK_ERROR && isClean(json, apiKey)) return error;
	const { message, code, type, reason } = wordsOf(error);
	const name = code ?? type;
	return {
		message: apiKey.redactStart(message, MAX_WORDS),
		...(name && { code: shortText(apiKey.redactStart(name, MAX_CODE)) }),
		...(reason && { data: { reason: apiKey.redactStart(reason, MAX_WORDS) } }),
	};
}

/** Whether JSON has no key: it has field names and numbers, too, and a text inside it may be JSON itself, and escape the key. */
function isClean(json: string, apiKey: ApiKey): boolean {
	const isSame = (text: string) => apiKey.redactError(text) === text;
	let areSame = isSame(json);
	JSON.parse(json, (_, value: unknown) => {
		areSame &&= typeof value !== 'string' || isSame(value);
	});
	return areSame;
}

/** What a task says of its failure, without the key. */
export function shownFailure(failure: VideoTask['failure'], apiKey: ApiKey): VideoTask['failure'] {
	if (failure === undefined) return undefined;
	const { words, code, reason } = failure;
	return {
		words: apiKey.redactStart(words, MAX_WORDS),
		...(code && { code: shortText(apiKey.redactStart(code, MAX_CODE)) }),
		...(reason && { reason: apiKey.redactStart(reason, MAX_WORDS) }),
	};
}

/**
 * Whether a body has all of one of the document's two error shapes. Load balancers and reverse proxies send a page, nothing,
 * or JSON of their own, such as `{"message": "Internal server error"}` or `{"code": 14, "message": "upstream connect error"}`.
 */
export function isServiceErrorBody(body: unknown): boolean {
	return wholeErrorBody.safeParse(body).success;
}
