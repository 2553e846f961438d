import { JsonScanner } from '../schemas/jsonScanner';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';

/** The beginning of an object or a list of JSON. The words in "[docs]" and the box in "[ ]" are none. */
const START = /\{\s{0,99}["}]|\[(?:\]|\s{0,99}[[{"\d-])/g;
/** A number in brackets, or several: "[1]" refers to a source, and so may "[1, 2]". */
const SEVERAL_NUMBERS = /^\[[\s\d,-]*\]$/;
const ONE_NUMBER = /^\[[\s\d]*\d\s*\]$/;
/** Characters of a list that begins with a number, and how many of them are looked at: most are prose. */
const MAX_NUMBERS = 10_000;
const MAX_STARTS = 100;

/**
 * The object or list in a text with prose around it, where it is the only one; undefined where nobody knows which is meant, or where
 * another one is not complete.
 */
export function jsonInProse(text: string): unknown {
	const found: unknown[] = [];
	const numbers: unknown[] = [];
	let starts = 0;
	for (let at = nextStart(text, 0); at !== -1; ) {
		starts += 1;
		const mayBeProse = text[at] === '[' && /^\[\s*[\d-]/.test(text.slice(at, at + 100));
		const json = completeAt(text, at, mayBeProse ? at + MAX_NUMBERS : text.length);
		const value = parseResponseJsonOrUndefined(json);
		if ((value === undefined && !mayBeProse) || starts > MAX_STARTS) return undefined;
		if (value !== undefined && !ONE_NUMBER.test(json))
			(SEVERAL_NUMBERS.test(json) && mayBeProse ? numbers : found).push(value);
		at = nextStart(text, at + (value === undefined ? 1 : json.length));
	}
	const [first, ...others] = found.length > 0 ? found : numbers;
	return others.length === 0 ? first : undefined;
}

function nextStart(text: string, from: number): number {
	START.lastIndex = from;
	return START.exec(text)?.index ?? -1;
}

/** The text from a bracket to the one that closes it; empty if none does before the end. */
function completeAt(text: string, start: number, end: number): string {
	const closed = new JsonScanner().endIn(text, start, Math.min(end, text.length));
	return closed === -1 ? '' : text.slice(start, closed);
}
