import { z } from 'zod';

const textList = z.array(z.string());

/** The part of JSON Schema that models are told their answers and their calls with; what has another shape counts as absent. */
const jsonSchema = z.looseObject({
	$ref: z.string().optional().catch(undefined),
	type: z.union([z.string(), textList]).optional().catch(undefined),
	format: z.string().optional().catch(undefined),
	enum: z.array(z.unknown()).min(1).optional().catch(undefined),
	const: z.unknown().optional(),
	default: z.unknown().optional(),
	minimum: z.number().optional().catch(undefined),
	maximum: z.number().optional().catch(undefined),
	maxLength: z.number().optional().catch(undefined),
	items: z.unknown().optional(),
	properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
	anyOf: z.array(z.unknown()).min(1).optional().catch(undefined),
	oneOf: z.array(z.unknown()).min(1).optional().catch(undefined),
});

type JsonSchema = z.infer<typeof jsonSchema>;

/** A schema that refers to itself would be followed for ever. */
const DEEPEST = 8;

const FORMATS: Record<string, string> = {
	'date-time': '2025-06-20T12:00:00Z',
	date: '2025-06-20',
	time: '12:00:00Z',
	email: 'someone@example.com',
	uri: 'https://example.com',
	uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * A value that fits a JSON Schema, drawn from what the user said: the whole of it for a text, its first number for a
 * number, the first choice that it names, and true for a property that it names.
 */
export function fitSchema(schema: unknown, said: string): unknown {
	return fit(schema, { said, root: schema, name: '', depth: 0 });
}

interface Place {
	said: string;
	root: unknown;
	/** Of the property. */
	name: string;
	depth: number;
}

function fit(given: unknown, place: Place): unknown {
	const schema = jsonSchema.safeParse(given).data ?? {};
	const { said, depth } = place;
	if (depth > DEEPEST) return null;
	const inner = (one: unknown, name = place.name) => fit(one, { ...place, name, depth: depth + 1 });
	if (schema.default !== undefined) return schema.default;
	if (schema.const !== undefined) return schema.const;
	if (schema.enum !== undefined) {
		return schema.enum.find((choice) => names(said, String(choice))) ?? schema.enum[0];
	}
	if (schema.$ref !== undefined) return inner(pointedAt(schema.$ref, place.root));
	const options = schema.anyOf ?? schema.oneOf;
	if (options !== undefined) return inner(options[0]);
	switch (typeOf(schema)) {
		case 'object':
			return Object.fromEntries(
				Object.entries(schema.properties ?? {}).map(([name, one]) => [name, inner(one, name)]),
			);
		case 'array':
			return schema.items === undefined ? [] : [inner(schema.items)];
		case 'number':
		case 'integer':
			return numberIn(said, schema);
		case 'boolean':
			return names(said, place.name);
		case 'null':
			return null;
		default:
			return FORMATS[schema.format ?? ''] ?? said.slice(0, schema.maxLength);
	}
}

function typeOf({ type, properties }: JsonSchema): string | undefined {
	return (Array.isArray(type) ? type[0] : type) ?? (properties && 'object');
}

function numberIn(said: string, { type, minimum, maximum = Infinity }: JsonSchema): number {
	const found = Number(/-?\d+(\.\d+)?/.exec(said)?.[0] ?? NaN);
	const fits =
		found >= (minimum ?? -Infinity) &&
		found <= maximum &&
		(type !== 'integer' || Number.isInteger(found));
	return fits ? found : (minimum ?? Math.min(1, maximum));
}

/** What `#/$defs/…` and the like point at. */
function pointedAt(reference: string, root: unknown): unknown {
	return reference
		.split('/')
		.slice(1)
		.reduce<unknown>(
			(value, key) =>
				typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
			root,
		);
}

/** Whether a text says a name in plain words: `Make_a_Video` is named by "please make a video of …". */
export function names(said: string, name: string): boolean {
	return plain(said).includes(plain(name));
}

/** The words alone, between spaces. */
function plain(text: string): string {
	return ` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()} `;
}
