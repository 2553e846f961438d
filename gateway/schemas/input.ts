import * as z from 'zod';
import { InvalidInputError } from '../errors/gatewayError';

/** n8n expressions often give numbers as text: `"0.5"` counts as 0.5, anything else stays what it is. */
export const number = (rule: string) =>
	z.preprocess(
		(value) =>
			typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
				? Number(value)
				: value,
		z.number({ error: rule }),
	);

export const numberBetween = (least: number, most: number) => {
	const rule = `must be a number from ${least} to ${most}`;
	return number(rule).refine((value) => value >= least && value <= most, rule);
};

export const NOT_EMPTY = 'must not be empty';

/** A text, which may be an empty one. */
export const anyText = (rule = 'must be a text') =>
	z.string({ error: ({ input }) => (isBlank(input) ? NOT_EMPTY : rule) });

export const text = (rule?: string) =>
	anyText(rule).refine((value) => value.trim() !== '', NOT_EMPTY);

/**
 * Checks a user's input against a schema of a request.
 * @throws InvalidInputError that names the first wrong field by the service's own name and shows the value.
 */
export function parseInput<Schema extends z.ZodType>(
	schema: Schema,
	input: unknown,
): z.infer<Schema> {
	const parsed = schema.safeParse(input, { reportInput: true });
	if (parsed.success) {
		throwUnlessJson(parsed.data);
		return parsed.data;
	}
	const issue = parsed.error.issues[0];
	const parameter = pathOf(issue?.path ?? []);
	throw refusedValue(parameter, issue?.message ?? '', issue?.input);
}

const FILL_IN =
	'Fill it in. Where it is an expression, check that this item has the field that it reads. Nothing was sent to the service.';

/** @param rule how the sentence goes on after the parameter's name, such as "must be a text" */
export function refusedValue(parameter: string, rule: string, value: unknown): InvalidInputError {
	const saysEmpty = rule === NOT_EMPTY;
	const isListAsWanted = Array.isArray(value) && /list|message/.test(rule);
	return new InvalidInputError(
		parameter,
		`${parameter} ${rule}${saysEmpty || isListAsWanted ? '' : inWords(value)}`,
		saysEmpty || isBlank(value) ? FILL_IN : undefined,
	);
}

/**
 * Merges the additional body under the fields the node knows.
 * A field set in both places is refused: whichever won, the user would be surprised.
 */
export function mergeAdditionalBody(
	known: Record<string, unknown>,
	additionalBody: unknown,
	reserved: readonly string[],
): Record<string, unknown> {
	const set = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
	if (additionalBody === undefined || additionalBody === null) return set;
	const parsed = z.record(z.string(), z.unknown()).safeParse(additionalBody);
	if (!parsed.success) {
		throw new InvalidInputError('additionalBody', 'The additional body must be a JSON object');
	}
	const conflict = Object.keys(parsed.data).find(
		(field) => Object.hasOwn(set, field) || reserved.includes(field),
	);
	if (conflict !== undefined) {
		throw new InvalidInputError(
			'additionalBody',
			`The additional body may not contain "${conflict}": the node sets it itself`,
			`Remove "${conflict}" from the additional body and use the node's own parameter for it.`,
		);
	}
	return { ...parsed.data, ...set };
}

/**
 * Parses JSON that a user typed; an object or array that an expression gave passes through, and a blank text is no JSON.
 * @throws InvalidInputError naming the parameter.
 */
export function parseJson(value: unknown, parameter: string): unknown {
	if (typeof value !== 'string') return value;
	if (value.trim() === '') return undefined;
	try {
		return JSON.parse(value) as unknown;
	} catch (error) {
		throw notJson(parameter, error);
	}
}

function notJson(parameter: string, error: unknown): InvalidInputError {
	const reason = error instanceof Error ? error.message : String(error);
	return new InvalidInputError(parameter, `${parameter} is not valid JSON: ${reason}`);
}

/** An expression can give what no JSON holds, in a field that this client does not know. */
function throwUnlessJson(request: unknown): void {
	try {
		JSON.stringify(request);
	} catch (error) {
		throw notJson('The request', error);
	}
}

function pathOf(path: readonly PropertyKey[]): string {
	return path.reduce<string>((name, key) => {
		if (typeof key === 'number') return `${name}[${key}]`;
		return name === '' ? String(key) : `${name}.${String(key)}`;
	}, '');
}

function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** What an expression gave in place of what it should. */
function inWords(value: unknown): string {
	if (isBlank(value)) return ' (it is empty)';
	if (typeof value === 'object') return ` (it is ${Array.isArray(value) ? 'a list' : 'an object'})`;
	const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
	return text === undefined || text.length > 60 ? '' : ` (it is ${text})`;
}
