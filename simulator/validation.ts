import { z } from 'zod';
import { ApiError } from './apiError';

/** The error message for a wrong value; a missing one "is required". */
export function rule(message: string) {
	return {
		error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : message),
	};
}

export const text = z.string(rule('must be a string'));
export const nonEmpty = text.refine((value) => value.trim() !== '', 'must not be empty');

export function between(low: number, high: number) {
	const message = `must be a number from ${low} to ${high}`;
	return z.number(rule(message)).min(low, message).max(high, message);
}

export function integerBetween(low: number, high: number) {
	const message = `must be an integer from ${low} to ${high}`;
	return z.int(rule(message)).min(low, message).max(high, message);
}

function nameOf(path: readonly PropertyKey[]): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name ? `${name}.${String(part)}` : String(part);
	}, '');
}

/** Throws a 400 that names the first invalid parameter. */
export function checked<Shape extends z.ZodType>(schema: Shape, body: unknown): z.infer<Shape> {
	const result = schema.safeParse(body);
	if (result.success) return result.data;
	const issue = result.error.issues[0];
	const name = nameOf(issue?.path ?? []) || 'The request body';
	const message = issue?.path.length ? issue.message : 'must be a JSON object';
	throw new ApiError(400, 'invalid_request_error', `${name} ${message}.`);
}
