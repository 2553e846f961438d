/**
 * Values of one response: each takes some 50 bytes of memory, however few characters it has. An answer of 5,000 tokens with
 * 20 alternatives for each (`top_logprobs`) has nearly as many, and is paid for.
 */
export const MAX_VALUES = 1_000_000;
/** Levels of lists and objects: many functions that read a value call themselves for each level. */
const MAX_DEPTH = 64;

/** Fields of one object, of which most readers make a list. */
const MAX_FIELDS = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** An object of JSON. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none of any other value. */
export function fieldsOf(value: unknown): Fields {
	return isFields(value) ? value : {};
}

/** A word of a service; empty for an object, whose own `toString` may be no function. */
export function plainText(value: unknown): string {
	return typeof value === 'object' || typeof value === 'function' || value === undefined
		? ''
		: String(value as string | number | boolean | bigint | symbol);
}

/** Whether a value says nothing. Some services send an empty `error` in every response. */
export function isEmpty(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return !value || plainText(value).trim() === '';
	return partsOf(value).every(isEmpty);
}

/** Whether a message, or a part of one, is more than a role. */
export function hasValue(message: Fields): boolean {
	for (const name in message) {
		const value = message[name];
		if (name !== 'role' && (Array.isArray(value) ? value.length > 0 : value)) return true;
	}
	return false;
}

/** No response of the service has as many values, or levels. */
export class TooComplexError extends Error {
	override readonly name = 'TooComplexError';
}

/**
 * Parses JSON that the service wrote, or a model, behind a byte order mark, too.
 * @throws TooComplexError when it has more values or levels than any response
 * @throws SyntaxError
 */
export function parseResponseJson(text: string): unknown {
	const value = parseUnbounded(text);
	hasRounded(value, MAX_DEPTH);
	return value;
}

/** As {@link parseResponseJson}, with whole numbers beyond 2^53 as texts: an ID and a seed stay what they are. */
export const parseResourceJson = (text: string): unknown =>
	withinBounds(parseUnbounded(text), text);

/** As {@link parseResponseJson}, of any depth: {@link withinBounds} checks the rest. */
export function parseUnbounded(text: string): unknown {
	// Each value but the first takes two characters or more, so most texts need not be searched.
	if (text.length > MAX_VALUES * 2 && countValues(text) > MAX_VALUES) {
		throw new TooComplexError(`it has more than ${MAX_VALUES.toLocaleString('en')} values`);
	}
	return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
}

/**
 * What {@link parseResourceJson} makes of a text that is parsed already.
 * @throws TooComplexError
 */
export function withinBounds(value: unknown, json: string): unknown {
	return hasRounded(value, MAX_DEPTH) ? parseResponseJson(quoteLongNumbers(json)) : value;
}

/** As {@link parseResponseJson}; undefined for what it refuses. */
export function parseResponseJsonOrUndefined(text: string): unknown {
	try {
		return parseResponseJson(text);
	} catch {
		return undefined;
	}
}

/** At least the number of values: every list entry and field but the first of its list or object comes after a comma. */
function countValues(text: string): number {
	let values = 1;
	let isString = false;
	for (let at = 0; at < text.length && values <= MAX_VALUES; at += 1) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) isString = !isString;
		else if (isString) at += code === BACKSLASH ? 1 : 0;
		else if (code === COMMA || code === BRACKET || code === BRACE) values += 1;
	}
	return values;
}

/** How many values a value has, itself among them. */
export function valuesIn(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 1;
	return partsOf(value).reduce<number>((count, part) => count + valuesIn(part), 1);
}

/**
 * Whether a value has a whole number that JavaScript rounded.
 * @throws TooComplexError when it has more levels, or fields in one object, than any response
 */
function hasRounded(value: unknown, levels: number): boolean {
	if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) throw new TooComplexError(`it has more than ${MAX_DEPTH} levels`);
	let found = false;
	let fields = 0;
	if (Array.isArray(value)) {
		for (const entry of value) found = hasRounded(entry, levels - 1) || found;
		return found;
	}
	// A list of the fields takes three times as long.
	for (const name in value) {
		found = hasRounded((value as Fields)[name], levels - 1) || found;
		fields += 1;
	}
	if (fields <= MAX_FIELDS) return found;
	const most = MAX_FIELDS.toLocaleString('en');
	throw new TooComplexError(`it has more than ${most} fields in one object`);
}

/** A list is not copied: that takes longer than to parse it. */
function partsOf(value: object): unknown[] {
	return Array.isArray(value) ? value : Object.values(value);
}

/**
 * The name of a field, which no text inside JSON looks like, and its whole number of 16 digits or more. Each part has an end: of a
 * loop over megabytes, a regular expression would remember every step.
 */
const LONG_NUMBER = /("[\w-]{1,64}"\s{0,9}:\s{0,9})(-?\d{16,40})(?=\s{0,99}[,}])/g;

/** Puts whole numbers beyond 2^53 into quotation marks. */
function quoteLongNumbers(json: string): string {
	return json.replace(LONG_NUMBER, (field, name: string, digits: string) =>
		Number.isSafeInteger(Number(digits)) ? field : `${name}"${digits}"`,
	);
}
