import * as z from 'zod';
import { type ResourceSchema, spare } from './lists';

/** The codes of the interface, and the status of each (Error codes). Those of 413, 500, 502 and 503: "not shown". */
export const ERROR_CODES = {
	quota_not_enough: 403,
	invalid_api_key: 401,
	model_not_found: 404,
	invalid_request_error: 400,
	rate_limit_exceeded: 429,
	task_not_found: 404,
	content_filtered: 400,
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(code: string | undefined): code is ErrorCode {
	return code !== undefined && Object.hasOwn(ERROR_CODES, code);
}

const documentedCode = z.enum(Object.keys(ERROR_CODES) as ErrorCode[]);
/**
 * One line: anything else may be the response of another server, which has words of its own. A check of a string takes twice as
 * long as a template (measured).
 */
const words = z.templateLiteral([z.string().regex(/^[^\s[{<].*\S$/)]);
const extra = z.strictObject({ retry_after: z.number(), reason: words }).partial();

/** General error body, and the alternate one. */
const exactError = z.union([
	z.strictObject({ code: documentedCode, message: words, data: extra.nullable().optional() }),
	z.strictObject({ error: z.strictObject({ message: words, type: words, code: documentedCode }) }),
]);

const spareText = spare(z.string());

/** `type` is of the alternate one, `param` of similar services. Only the message matters. */
const generalError = z.object({
	code: spareText,
	message: z.string(),
	data: spare(z.object({ reason: spareText, retry_after: spare(z.number()) }).nullable()),
	type: spareText,
	param: spareText,
});

/** An error in one of the two shapes of the interface. */
const lenientError = z.union([generalError, z.object({ error: generalError })]);
export type ErrorBody = z.infer<typeof lenientError>;
export const errorBody: ResourceSchema<ErrorBody> = {
	exact: exactError,
	lenient: lenientError,
};

/**
 * An error with all of one of the two shapes. A code is a string, or null. Load balancers and reverse proxies send a page, nothing,
 * or JSON of their own, such as `{"message": "Internal server error"}` or `{"code": 14, "message": "upstream connect error"}`.
 */
export const wholeErrorBody = z.union([
	z.looseObject({ code: z.string().min(1), message: z.string() }),
	z
		.looseObject({ code: z.null(), message: z.string() })
		.refine((body) => 'data' in body, 'no data'),
	z.looseObject({
		error: z.looseObject({ message: z.string().min(1), code: z.string().nullish() }),
	}),
]);
