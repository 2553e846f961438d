/** What an expression gives for a text: a number, such as an id or a year, is meant as its digits. */
export function asText(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}
