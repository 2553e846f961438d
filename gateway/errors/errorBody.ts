import { errorFrom, reasonFrom } from '../dialects';
import { shortText } from '../lineText';
import type { ApiKey } from '../redaction';
import { type ErrorBody, errorBody } from '../schemas/errors';
import { readAs } from '../schemas/lists';
import type { VideoTask } from '../schemas/video';

type TaskFailure = NonNullable<VideoTask['failure']>;

/** Characters of JSON. No service writes a longer error of a failed task. */
const MAX_TASK_ERROR = 4_096;
/** Characters of a code, of which an error shows fewer. */
const MAX_CODE = 200;
/** Characters of all words, of which an error shows no more. */
export const MAX_WORDS = 1_000;

/** What an error says. */
export interface ErrorWords {
	message: string;
	code?: string | undefined;
	/** OpenAI's class of the error, such as `insufficient_quota`. */
	type?: string | undefined;
	/** The parameter that is refused. */
	param?: string | undefined;
	/** Why the content was filtered: `data.reason`, or the categories of a filter. */
	reason?: string | undefined;
}

/** Seconds that an error body asks to wait (Error codes: `rate_limit_exceeded`). */
export function retryAfterIn(body: unknown): number | undefined {
	const { data } = errorBody.lenient.safeParse(body);
	return data && general(data).data?.retry_after;
}

/**
 * Reads the JSON of an error; undefined for any other JSON.
 * @param from the door
 */
export function readErrorBody(body: unknown, from = errorFrom): ErrorWords | undefined {
	const { success, data } = readAs(body, errorBody, from);
	if (!success) return undefined;
	const { data: more, ...words } = general(data);
	return { ...words, reason: more?.reason };
}

/** The one of the two shapes that has the other one inside. */
const general = (body: ErrorBody) => ('error' in body ? body.error : body);

/** Reads the error of a task, whose shape is undefined by the interface. */
export function wordsOf(error: unknown): ErrorWords {
	const message = typeof error === 'string' ? error : JSON.stringify(error);
	return readErrorBody(error, reasonFrom) ?? { message };
}

/** The `error` of a failed task as the service sent it. Of an error that is long or has the key, only its words without the key. */
export function shownError(error: unknown, apiKey: ApiKey): unknown {
	const json = JSON.stringify(error);
	if (json.length <= MAX_TASK_ERROR && isClean(json, apiKey)) return error;
	const { message, code, type, reason } = wordsOf(error);
	const { words, ...shown } = shownWords({ words: message, code: code ?? type, reason }, apiKey);
	return {
		message: words,
		...(shown.code && { code: shown.code }),
		...(shown.reason && { data: { reason: shown.reason } }),
	};
}

/** What a task says of its failure, without the key. */
export function shownWords({ words, code, reason }: TaskFailure, apiKey: ApiKey): TaskFailure {
	return {
		words: apiKey.redactStart(words, MAX_WORDS),
		...(code && { code: shownCode(code, apiKey) }),
		...(reason && { reason: apiKey.redactStart(reason, MAX_WORDS) }),
	};
}

/** A code without the key, on one line. */
export function shownCode(code: string, apiKey: ApiKey): string {
	return shortText(apiKey.redactStart(code, MAX_CODE));
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
