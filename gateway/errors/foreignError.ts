/** An error of Node.js, undici or n8n may come from another realm, so its fields tell what it is. */
type ForeignFields = Record<string, unknown>;

/** An error and its causes, the last of which came first. */
export function* causesOf(error: unknown): Generator<ForeignFields> {
	for (let cause = error; isObject(cause); cause = cause.cause) yield cause;
}

/** A field of an error; empty if it is not a text. */
export function foreignText(error: unknown, field: string): string {
	const text = isObject(error) ? error[field] : undefined;
	return typeof text === 'string' ? text : '';
}

export function isObject(value: unknown): value is ForeignFields {
	return typeof value === 'object' && value !== null;
}

/** Whether n8n's SSRF protection refused a URL, or an IP address at a DNS lookup. */
export function isSsrfRefusal(error: unknown): boolean {
	return [...causesOf(error)].some((cause) => /ssrf/i.test(foreignText(cause, 'name')));
}
