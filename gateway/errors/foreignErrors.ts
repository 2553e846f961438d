/** An error of Node.js, undici or n8n: it is recognised by its fields, since it may come from another realm. */
type ForeignError = Record<string, unknown>;

/** An error, and what caused it. */
export function* causesOf(error: unknown): Generator<ForeignError> {
	for (let cause = error; isObject(cause); cause = cause.cause) yield cause;
}

/** A text of an error; empty without one. */
export function textOf(error: unknown, field: string): string {
	const text = isObject(error) ? error[field] : undefined;
	return typeof text === 'string' ? text : '';
}

export function isObject(value: unknown): value is ForeignError {
	return typeof value === 'object' && value !== null;
}
