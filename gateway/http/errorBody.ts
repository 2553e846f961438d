import * as z from 'zod';

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

/** The content of an error body, in either shape. */
export interface ErrorBody {
	code?: string | undefined;
	message?: string | undefined;
	data?: unknown;
}

const errorBody = z.union([
	alternateBody.transform(({ error, data }) => ({
		code: error.code ?? error.type,
		message: error.message,
		data: error.data ?? data,
	})),
	generalBody,
]);

/** Reads both documented error shapes, even without a valid code; undefined for any other body. */
export function readErrorBody(value: unknown): ErrorBody | undefined {
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
	const part = answer.error ? answer : choices.find(({ error }) => error);
	const message = part && alternateBody.safeParse(part).data?.error.message;
	return message ? { error: part.error } : undefined;
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
