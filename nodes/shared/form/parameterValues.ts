import type { INodeProperties } from 'n8n-workflow';
import { type Bounds, BOUNDS, isEmptied, plainText, rangeOf, refusedValue } from '../../../gateway';

/**
 * A value of an expression for a text: a number, such as an id or a year, as its digits, and a date as its ISO text; any other
 * value as it is.
 */
export function asText(value: unknown): unknown {
	return typeof value === 'number' && Number.isFinite(value) ? String(value) : dateAsText(value);
}

/** A date as its ISO text, as n8n's own nodes send it (luxon's DateTime and JavaScript's Date have no other JSON). */
function dateAsText(value: unknown): unknown {
	const isDate =
		Object.prototype.toString.call(value) === '[object Date]' ||
		fieldOf(value, 'isLuxonDateTime') === true;
	// An invalid date has no text.
	return (isDate ? (JSON.parse(JSON.stringify(value)) as unknown) : null) ?? value;
}

/**
 * The objects and lists of an expression, with each date in them as its text.
 * @param around the objects and lists that contain it: one that contains itself is for the request to refuse
 */
export function withDatesAsText(given: unknown, around: unknown[] = []): unknown {
	const value = dateAsText(given);
	if (around.includes(value)) return value;
	const inside = (field: unknown) => withDatesAsText(field, [...around, value]);
	if (Array.isArray(value)) return value.map(inside);
	if (Object.prototype.toString.call(value) !== '[object Object]') return value;
	const fields = Object.entries(value as object);
	return Object.fromEntries(fields.map(([name, field]) => [name, inside(field)]));
}

/**
 * Reads a boolean of an options collection: an expression often returns it as text or a number, such as from a spreadsheet.
 * @param fallback the value of an empty one
 * @throws GatewayError naming the parameter: a text such as "no" must not turn it on
 */
export function readBoolean(
	options: Record<string, unknown>,
	name: string,
	fallback: boolean,
): boolean {
	const given = options[name];
	if (isEmptied(given)) return fallback;
	const word = plainText(given).trim().toLowerCase();
	const isTrue = ['true', '1'].includes(word);
	if (isTrue || ['false', '0'].includes(word)) return isTrue;
	throw refusedValue(name, 'must be true or false', given);
}

/**
 * The minimum and maximum of each number of a form, by the name of its parameter. n8n's own are not used: its editor drops the
 * key that passes one, so that 60 becomes 6 (n8n 2.41).
 */
export const FORM_BOUNDS = {
	...BOUNDS,
	limit: [1],
	maxBillableRequests: [0],
	maxConcurrency: [1, 100],
	maxRetries: [0, 20],
	/** Seconds. "An asynchronous task stays queryable for about 7 days" (Task retention). */
	maxWait: [0.01, 7 * 24 * 3600],
	/** Seconds. Shorter pauses are requests without a pause. */
	pollInterval: [0.01],
	/** Seconds. */
	timeout: [0.001, 3600],
} as const satisfies Record<string, Bounds>;

export type BoundedNumber = keyof typeof FORM_BOUNDS;

interface NumberProperty<Name extends BoundedNumber = BoundedNumber> extends INodeProperties {
	name: Name;
	description: string;
}

/** A number of a form, with its bounds below it. */
export const numberProperty = <Name extends BoundedNumber>(
	property: Omit<NumberProperty<Name>, 'type'>,
): NumberProperty<Name> => {
	const [min = 0, max]: Bounds = FORM_BOUNDS[property.name];
	const range = min > 0 && min < 1 ? `At most ${max}` : `From ${min} to ${max}`;
	return { ...property, type: 'number', ...(max !== undefined && { hint: range }) };
};

/**
 * Reads a number of an options collection; a number in a text, as expressions return it, is accepted.
 * @param property with the number's default and unit
 * @throws GatewayError naming the option
 */
export function readNumber(
	options: Record<string, unknown>,
	{ name, displayName, default: fallback }: NumberProperty,
): number {
	const bounds: Bounds = FORM_BOUNDS[name];
	const [min = -Infinity, max = Infinity] = bounds;
	const given = options[name];
	if (isEmptied(given)) return Number(fallback);
	const value = typeof given === 'string' ? Number(given) : given;
	const isTime = displayName.endsWith('(Seconds)');
	const isNumber = isTime ? Number.isFinite(value) : Number.isInteger(value);
	if (isNumber && Number(value) >= min && Number(value) <= max) return Number(value);
	const kind = isTime ? 'number of seconds' : 'whole number';
	throw refusedValue(name, `must be a ${kind}${rangeOf(bounds)}`, given);
}

/**
 * Reads one of some values of an options collection.
 * @param values the first is used for an option that was not set
 * @throws GatewayError naming the option
 */
export function readChoice<Value extends string>(
	options: Record<string, unknown>,
	name: string,
	values: readonly [Value, ...Value[]],
): Value {
	const given = options[name];
	const value = isEmptied(given) ? values[0] : values.find((candidate) => candidate === given);
	if (value !== undefined) return value;
	throw refusedValue(name, `must be ${values.join(' or ')}`, given);
}

/** A field of a value that may not be an object. */
export function fieldOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
