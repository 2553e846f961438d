import * as z from 'zod';
import { spare, spares } from './lists';

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

/** `type` is of the alternate one, `param` of similar services. Only the message matters. */
const generalError = z.object({
	message: z.string(),
	...spares({ code: z.string(), type: z.string(), param: z.string() }),
	data: spare(z.object(spares({ reason: z.string(), retry_after: z.number() })).nullable()),
});

/** An error in one of the two shapes of the interface. */
export const errorBody = {
	exact: z.union([
		z.strictObject({ code: documentedCode, message: words, data: extra.nullable() }),
		z.strictObject({
			error: z.strictObject({ message: words, type: words, code: documentedCode }),
		}),
	]),
	lenient: z.union([generalError, z.object({ error: generalError })]),
};
export type ErrorBody = z.infer<typeof errorBody.lenient>;

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
