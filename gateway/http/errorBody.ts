import * as z from 'zod';
import { shortText } from '../errors/texts';
import type { ApiKey } from '../redaction';

/** Long enough for any readable message, short enough for an execution's log. */
export const MAX_MESSAGE = 1_000;
/** More than is shown of a code. */
export const MAX_CODE = 200;

const generalBody = z.looseObject({
	code: z.unknown().optional(),
	message: z.string(),
	data: z.unknown().optional(),
});

const alternateBody = z.looseObject({
	error: z.looseObject({
		message: z.string(),
		type: z.string().nullish(),
		code: z.unknown().optional(),
		data: z.unknown().optional(),
	}),
});

const errorBody = z.union([
	alternateBody.transform(({ error, data }) => ({
		code: error.code ?? error.type,
		message: error.message,
		data: error.data ?? data,
	})),
	generalBody,
	z
		.looseObject({ error: z.unknown() })
		.refine(({ error }) => !isEmpty(error))
		.transform(({ error }) => ({ ...wordsOf(error), data: undefined })),
]);

const errorFields = z.object({
	message: z.string().min(1).optional().catch(undefined),
	detail: z.string().min(1).optional().catch(undefined),
	reason: z.string().min(1).optional().catch(undefined),
	code: z
		.union([z.string(), z.number().transform(String)])
		.optional()
		.catch(undefined),
});

/** What an error of any shape says: its readable part, or all of it. */
export function wordsOf(error: unknown): { message: string; code?: string | undefined } {
	if (typeof error === 'string') return { message: error };
	const { message, detail, reason, code } = errorFields.safeParse(error).data ?? {};
	return { message: message ?? detail ?? reason ?? JSON.stringify(error), code };
}

/** What an error of any shape says, without the key: no more than is shown of it. */
export function shownError(error: unknown, apiKey: ApiKey): { message: string; code?: string } {
	const { message, code } = wordsOf(error);
	return {
		message: apiKey.redactStart(message, MAX_MESSAGE),
		...(code && { code: shortText(apiKey.redactStart(code, MAX_CODE)) }),
	};
}

/** Whether an `error` says nothing: some services send one in every response. */
export function isEmpty(error: unknown): boolean {
	if (typeof error !== 'object' || error === null) return !error || String(error).trim() === '';
	return Object.values(error).every(isEmpty);
}

/** Reads both documented error shapes, even without a valid code, and any other `error`; undefined for any other body. */
export function readErrorBody(value: unknown) {
	const parsed = errorBody.safeParse(value);
	if (!parsed.success) return undefined;
	const { code, message, data } = parsed.data;
	return { code: typeof code === 'string' ? code : undefined, message, data };
}

/** A whole answer, or the part of it that arrived. */
interface PartOfAnswer {
	error?: unknown;
	choices: Array<Record<string, unknown>>;
}

/**
 * The error body that a service sends beside what there is of an answer, as OpenRouter does: in the response or in one of
 * its choices. Beside choices the general shape could be anything.
 */
export function errorBesideAnswer(answer: PartOfAnswer): object | undefined {
	const { choices } = answer;
	if (choices.length === 0 && serviceErrorBody.safeParse(answer).success) return answer;
	const part = [answer, ...choices].find(({ error }) => !isEmpty(error));
	return part && { error: part.error };
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
