import * as z from 'zod';
import { isObject } from '../errors/transportErrors';
import { shortText } from '../errors/texts';
import type { ApiKey } from '../redaction';

/** Long enough for any readable message, short enough for an execution's log. */
export const MAX_MESSAGE = 1_000;
/** Characters of JSON. No service says more of a failed task. */
const MAX_TASK_ERROR = 4_096;
/** More than is shown of a code. */
export const MAX_CODE = 200;
/** Errors of one list that are told. */
const MAX_LISTED = 20;

/** What an error says, of any shape. */
export interface ErrorWords {
	message: string;
	code: string | undefined;
	/** OpenAI's class of the error, such as `insufficient_quota`. */
	type: string | undefined;
	data: unknown;
}

/** The fields with words, as they are told. An `error` may be words or an object of its own. */
const WORDS = ['title', 'error', 'message', 'msg', 'status_msg', 'detail', 'error_description'];
/** The fields with words where there are no others, or with errors of their own. */
const OTHER_WORDS = ['reason', 'errors', 'base_resp'];
/** The objects that have the code of an error, the innermost first. */
const INNER = ['error', 'errors', 'base_resp'];
/** Not a failure: MiniMax, iFlytek and others send one with each response. */
const SUCCESS = /^(0|200|success|ok)$/i;
/** What Python and JavaScript make of no value. */
const NOTHING = /^(none|null|undefined|)$/i;

/** An object's field, or nothing. */
function field(value: unknown, name: string): unknown {
	return isObject(value) ? value[name] : undefined;
}

function asText(value: unknown): string | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' && !NOTHING.test(text.trim()) ? text : undefined;
}

/** All words of an error: those of a list after each other, a refused field with its name. */
function wordsIn(value: unknown): string {
	if (typeof value === 'string') return NOTHING.test(value.trim()) ? '' : value;
	if (Array.isArray(value)) return joined(value.slice(0, MAX_LISTED).map(wordsIn), '; ');
	if (!isObject(value) || isSuccess(value)) return '';
	// FastAPI names the field that it refuses.
	const place = Array.isArray(value.loc) ? value.loc.slice(0, MAX_LISTED).join('.') : '';
	const words = joined([place, ...WORDS.map((name) => wordsIn(value[name]))], ': ');
	return words === ''
		? joined(
				OTHER_WORDS.map((name) => wordsIn(value[name])),
				': ',
			)
		: words;
}

function joined(words: string[], between: string): string {
	return [...new Set(words)].filter(Boolean).join(between);
}

function isSuccess(value: unknown): boolean {
	const code = asText(field(value, 'code') ?? field(value, 'status_code'));
	return code !== undefined && SUCCESS.test(code) && isEmpty(field(value, 'error'));
}

/** The first value of a field in an error or in what is inside it, the innermost first. */
function inner(value: unknown, names: string[]): string | undefined {
	const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
	const found = isObject(first) ? INNER.map((name) => inner(first[name], names)) : [];
	return [...found, ...names.map((name) => asText(field(first, name)))].find(Boolean);
}

/** What an error of any shape says: its readable part, or all of it. */
export function wordsOf(error: unknown): ErrorWords {
	const [first] = Array.isArray(error) ? (error as unknown[]) : [error];
	const nested = field(first, 'error');
	return {
		message: wordsIn(error) || (typeof error === 'string' ? error : JSON.stringify(error)),
		code: inner(error, ['code', 'error_code', 'status_code']),
		type: inner(nested, ['type']),
		data: field(nested, 'data') ?? field(first, 'data'),
	};
}

/** The `error` of a failed task as the service sent it; of a long one, or one with the key, what it says without the key. */
export function shownError(error: unknown, apiKey: ApiKey): unknown {
	const json = JSON.stringify(error);
	// With its names and numbers, and then each text, which may be JSON itself.
	let isClean = apiKey.redactError(json) === json;
	JSON.parse(json, (_, value: unknown) => {
		isClean &&= typeof value !== 'string' || apiKey.redactError(value) === value;
	});
	if (json.length <= MAX_TASK_ERROR && isClean) return error;
	const { message, code, type, data } = wordsOf({ error });
	const name = code ?? type;
	const { reason } = errorData.parse(data);
	return {
		message: apiKey.redactStart(message, MAX_MESSAGE),
		...(name && { code: shortText(apiKey.redactStart(name, MAX_CODE)) }),
		...(reason && { data: { reason: apiKey.redactStart(reason, MAX_MESSAGE) } }),
	};
}

/** What the document shows of an error's `data`: why the content was filtered. */
export const errorData = z.object({ reason: z.string().optional() }).catch({});

/** Whether an `error` says nothing: some services send one in every response. */
export function isEmpty(error: unknown): boolean {
	if (typeof error !== 'object' || error === null) return !error || String(error).trim() === '';
	return Object.values(error).every(isEmpty);
}

/** Reads the JSON of an error: both documented shapes, and what other services send; undefined for any other JSON. */
export function readErrorBody(value: unknown): ErrorWords | undefined {
	if (!isObject(value) || isSuccess(value)) return undefined;
	const message = wordsIn(value);
	if (message !== '' || typeof value.message === 'string') return { ...wordsOf(value), message };
	return isEmpty(value.error)
		? undefined
		: { ...wordsOf(value), message: JSON.stringify(value.error) };
}

/** A whole answer, or the part of it that arrived. */
interface PartOfAnswer {
	error?: unknown;
	choices?: unknown;
}

/**
 * The error body that a service sends beside what there is of an answer, as OpenRouter does: in the response or in one of
 * its choices. Beside choices the general shape could be anything.
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
 * Whether a body is whole in one of the document's two error shapes. Load balancers and reverse proxies answer with a page,
 * with nothing, or with JSON of their own, such as `{"message": "Internal server error"}` or
 * `{"code": 14, "message": "upstream connect error"}`.
 */
export function isServiceErrorBody(body: unknown): boolean {
	return serviceErrorBody.safeParse(body).success;
}
