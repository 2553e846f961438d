import * as z from 'zod';
import { shortText } from '../lineText';
import type { ApiKey } from '../redaction';
import type { VideoTask } from '../schemas/video';
import { isObject } from './foreignError';
import { walk } from '../schemas/answerWalk';
import { isSuccess, MAX_WORDS, NOTHING, reasonWords } from '../schemas/reasonWords';
import { isEmpty } from '../schemas/responseJson';

/** Characters of JSON. No service writes a longer error of a failed task. */
const MAX_TASK_ERROR = 4_096;
/** Characters of a code, of which an error shows fewer. */
export const MAX_CODE = 200;

/** What an error body of any shape says. */
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

/** Fields of a body that tell an error by itself; a numeric `status` tells what a title is. */
const TELLS =
	/^(?:title|status|errors?|detail|error_?description|reason|base_resp|(?:err(?:or)?_?|status_?|fail_?)?(?:message|msg|reason))$/i;
/** Fields with an object that has the code of the error. */
const INNER = ['error', 'errors', 'base_resp'];

/** A field of an object; undefined for other values. */
function field(value: unknown, name: string): unknown {
	return isObject(value) ? value[name] : undefined;
}

function asText(value: unknown): string | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' && !NOTHING.test(text.trim()) ? text : undefined;
}

/** The first value of these fields in an error or in an object inside it. The innermost object counts most. */
function inner(value: unknown, names: string[]): string | undefined {
	const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
	const found = isObject(first) ? INNER.map((name) => inner(first[name], names)) : [];
	return [...found, ...names.map((name) => asText(field(first, name)))].find(Boolean);
}

/**
 * Reads an error of any shape. Without readable words, its JSON is the message.
 * @param redact takes the key out of a text
 */
export function wordsOf(error: unknown, redact = (text: string) => text): ErrorWords {
	const [first] = Array.isArray(error) ? (error as unknown[]) : [error];
	const nested = field(first, 'error');
	const { reason } = errorData.parse(field(nested, 'data') ?? field(first, 'data'));
	return {
		message:
			reasonWords(error, redact) || (typeof error === 'string' ? error : JSON.stringify(error)),
		code: inner(error, ['code', 'error_code', 'status_code']),
		type: inner(nested, ['type']),
		parameter: inner(error, ['param']),
		reason: reason ?? filtersIn(error),
	};
}

/** The categories of Azure's content filter that were found. */
function filtersIn(error: unknown): string | undefined {
	const found = walk(error).filter(({ value }) => field(value, 'filtered') === true);
	return found.map(({ key }) => key).join(', ') || undefined;
}

/** The `error` of a failed task as the service sent it. Of an error that is long or has the key, only its words without the key. */
export function shownError(error: unknown, apiKey: ApiKey): unknown {
	const json = JSON.stringify(error);
	if (json.length <= MAX_TASK_ERROR && isClean(json, apiKey)) return error;
	const { message, code, type, reason } = wordsOf({ error }, (text) => apiKey.redactError(text));
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

/** The `data` of an error in the interface document: why the content was filtered. */
const errorData = z.object({ reason: z.string().optional() }).catch({});

/**
 * Reads the JSON of an error, in the two documented shapes or those of other services; undefined for any other JSON.
 * @param redact takes the key out of a text
 */
export function readErrorBody(
	value: unknown,
	redact?: (text: string) => string,
): ErrorWords | undefined {
	if (!isObject(value) || isSuccess(value)) return undefined;
	const fields = Object.entries(value).filter(([name]) => TELLS.test(name));
	const told: unknown = Array.isArray(value) ? value : Object.fromEntries(fields);
	const hasWords = reasonWords(told, (text) => text) !== '';
	if (!hasWords && typeof value.message !== 'string' && isEmpty(value.error)) return undefined;
	const words = wordsOf(value, redact);
	if (hasWords) return words;
	const message = typeof value.message === 'string' ? '' : JSON.stringify(value.error);
	return { ...words, message };
}

/** An answer, or the part of it that arrived. */
interface PartOfAnswer {
	error?: unknown;
	choices?: unknown;
}

/**
 * The error body that a service such as OpenRouter sends beside a part of an answer: in the response or in one of its
 * choices. Beside choices, only the field `error` tells an error: fields such as `message` may mean something else.
 */
export function errorBesideAnswer(answer: PartOfAnswer): object | undefined {
	const choices = Array.isArray(answer.choices) ? answer.choices.filter(isObject) : [];
	if (choices.length === 0 && readErrorBody(answer)) return answer;
	const part = [answer, ...choices].find(({ error }) => !isEmpty(error));
	if (part) return { error: part.error };
	const { base_resp } = answer as { base_resp?: unknown };
	return readErrorBody(base_resp) && { base_resp };
}

/** A code is a string, or null: "Code strings for statuses 413, 500, 502, 503: not shown" (Errors). */
const serviceErrorBody = z.union([
	z.looseObject({ code: z.string().min(1), message: z.string() }),
	z
		.looseObject({ code: z.null(), message: z.string() })
		.refine((body) => 'data' in body, 'no data'),
	z.looseObject({
		error: z.looseObject({ message: z.string().min(1), code: z.string().nullish() }),
	}),
]);

/**
 * Whether a body has all of one of the document's two error shapes. Load balancers and reverse proxies send a page, nothing,
 * or JSON of their own, such as `{"message": "Internal server error"}` or `{"code": 14, "message": "upstream connect error"}`.
 */
export function isServiceErrorBody(body: unknown): boolean {
	return serviceErrorBody.safeParse(body).success;
}
