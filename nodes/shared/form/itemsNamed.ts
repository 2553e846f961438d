/** The most items that a hint names. */
const MAX_NAMED = 10;

/** British English has no comma before "and". */
const LIST = new Intl.ListFormat('en-GB');

/** "items 4 and 11", by n8n's numbers, which begin at 0. */
export function itemsNamed(numbers: number[]): string {
	const more = numbers.length - MAX_NAMED;
	const names = [...numbers.slice(0, MAX_NAMED).map(String), ...(more > 0 ? [`${more} more`] : [])];
	return `${names.length === 1 ? 'item' : 'items'} ${LIST.format(names)}`;
}

/** The same at the beginning of a sentence. */
export function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
