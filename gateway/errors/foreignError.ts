import { type Fields, isFields } from '../schemas/responseJson';

// An error of Node.js, undici or n8n may come from another realm, so its fields tell what it is.

/** An error and its causes, the last of which came first. */
export function* causesOf(error: unknown): Generator<Fields> {
	for (let cause = error; isFields(cause); cause = cause.cause) yield cause;
}

/** A field of an error; empty if it is not a text. */
export function foreignText(error: unknown, field: string): string {
	const text = isFields(error) ? error[field] : undefined;
	return typeof text === 'string' ? text : '';
}

/** Whether n8n's SSRF protection refused a URL, or an IP address at a DNS lookup. */
export function isSsrfRefusal(error: unknown): boolean {
	return [...causesOf(error)].some((cause) => /ssrf/i.test(foreignText(cause, 'name')));
}
