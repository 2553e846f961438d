import * as z from 'zod';
import { type GatewayError, invalidInput } from '../errors/gatewayError';

/** The minimum and maximum of a number; none where the service has none. */
export type Bounds = readonly [min?: number, max?: number];

/** The bounds of each number of a request, as the interface document has them. Without any: `[]`. */
export const BOUNDS = {
	duration: [2, 10],
	frequencyPenalty: [-2, 2],
	maxTokens: [1],
	n: [1, 4],
	presencePenalty: [-2, 2],
	temperature: [0, 2],
	topP: [0, 1],
} as const satisfies Record<string, Bounds>;

/** The bounds of a number, as an error has them after "must be a number". */
export function rangeOf([min, max]: Bounds): string {
	if (min === undefined) return '';
	return max === undefined ? ` of ${min} or more` : ` from ${min} to ${max}`;
}

/** A number that is sent as text, as n8n's expressions and some services do: `"0.5"` counts as 0.5, anything else is unchanged. */
export function numberIn(value: unknown): unknown {
	const isNumber =
		typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
	return isNumber ? Number(value) : value;
}

export const number = (rule = 'must be a number') =>
	z.preprocess(numberIn, z.number({ error: rule }));

export const numberBetween = (min: number, max: number) => {
	const rule = `must be a number${rangeOf([min, max])}`;
	return number(rule).refine((value) => value >= min && value <= max, rule);
};

export const wholeNumber = (bounds: Bounds) => {
	const [min = -Infinity, max = Infinity] = bounds;
	const rule = `must be a whole number${rangeOf(bounds)}`;
	const isValid = (value: number) => Number.isSafeInteger(value) && value >= min && value <= max;
	return number(rule).refine(isValid, rule);
};

export const NOT_EMPTY = 'is empty';

/** A text, which may be empty. */
export const anyText = (rule = 'must be text') =>
	z.string({ error: ({ input }) => (isBlank(input) ? NOT_EMPTY : rule) });

export const text = (rule?: string) =>
	anyText(rule).refine((value) => value.trim() !== '', NOT_EMPTY);

/** Characters. What a form fills in is kept while the model is limited, and no ID of a model is nearly as long. */
const MAX_MODEL_ID = 512;

export const modelId = text('must be the ID of a model').refine(
	({ length }) => length <= MAX_MODEL_ID,
	`must be the ID of a model, of at most ${MAX_MODEL_ID} characters`,
);

/**
 * Checks a user's input against a request schema.
 * @throws GatewayError with the service's name of the first invalid field and its value.
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
	throw parsed.error.issues.map(({ path, message, input: value }) =>
		refusedValue(pathOf(path), message, value),
	)[0];
}

const FILL_IN =
	'Fill it in. If it is an expression, check that this item has the field it reads. Nothing was sent to the service.';

/** @param rule the message after the parameter's name, such as "must be text" */
export function refusedValue(parameter: string, rule: string, value: unknown): GatewayError {
	const saysEmpty = rule === NOT_EMPTY;
	const isListAsWanted = Array.isArray(value) && /list|message/.test(rule);
	return invalidInput(
		parameter,
		`${parameter} ${rule}${saysEmpty || isListAsWanted ? '' : inWords(value)}`,
		saysEmpty || isBlank(value) ? FILL_IN : undefined,
	);
}

/** Whether a field has no value: it was never set, or a user or an expression emptied it. */
export function isEmptied(value: unknown): value is undefined | null | '' {
	return value === undefined || value === null || value === '';
}

/**
 * Adds the fields of the additional body to those the node knows. A field of the node that was emptied counts as not set.
 * A field set in both places is an error: whichever won, the user would be surprised.
 * @param reserved a field that the client sets
 */
export function mergeAdditionalBody(
	known: Record<string, unknown>,
	additionalBody: unknown,
	reserved?: string,
): Record<string, unknown> {
	const set = Object.fromEntries(Object.entries(known).filter(([, value]) => !isEmptied(value)));
	if (isEmptied(additionalBody)) return set;
	const parsed = z.record(z.string(), z.unknown()).safeParse(additionalBody);
	if (!parsed.success) {
		throw invalidInput('additionalBody', 'The additional body must be a JSON object');
	}
	const conflict = Object.keys(parsed.data).find(
		(field) => Object.hasOwn(set, field) || field === reserved,
	);
	if (conflict !== undefined) {
		throw invalidInput(
			'additionalBody',
			`The additional body must not contain "${conflict}": the node sets it`,
			`Remove "${conflict}" from the additional body: the node, or the agent that it serves, has a value for it.`,
		);
	}
	return { ...parsed.data, ...set };
}

/**
 * A string of JSON, in which a comma means nothing, or a comma before a closing bracket, which JSON does not allow. Each part has an
 * end: of a loop over megabytes, a regular expression would remember every step.
 */
const TEXT_OR_LAST_COMMA = /"(?:[^"\\]{1,1000}|\\.)*(?:"|$)|,\s*([\]}])/gs;

/**
 * Parses JSON that a user typed. An object or array from an expression passes through; blank text gives undefined.
 * @throws GatewayError naming the parameter.
 */
export function parseJson(value: unknown, parameter: string): unknown {
	if (typeof value !== 'string') return value;
	if (value.trim() === '') return undefined;
	try {
		return JSON.parse(value) as unknown;
	} catch (error) {
		throw notJson(parameter, error, value);
	}
}

function notJson(parameter: string, error: unknown, json = ''): GatewayError {
	const [, bracket] = [...json.matchAll(TEXT_OR_LAST_COMMA)].find((match) => match[1]) ?? [];
	const words = error instanceof Error ? error.message : 'it cannot be written as JSON';
	const reason = bracket
		? `there is a comma before ${bracket}`
		: words.replace(/ is not valid JSON$/, '');
	return invalidInput(parameter, `${parameter} is not valid JSON: ${reason}`);
}

/** In a field that this client does not know, an expression can return what JSON cannot contain. */
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
	return isEmptied(value) || (typeof value === 'string' && value.trim() === '');
}

/** What an expression returned instead. */
function inWords(value: unknown): string {
	if (isBlank(value)) return ' (it is empty)';
	if (typeof value === 'object') return ` (it is ${Array.isArray(value) ? 'a list' : 'an object'})`;
	const text =
		typeof value === 'string' ? JSON.stringify(value) : String(value as number | boolean);
	return text.length > 60 ? '' : ` (it is ${text})`;
}
