import { z } from 'zod';

const textList = z.array(z.string());

/** The keywords of JSON Schema that answers and tool calls need. A keyword with an unexpected value counts as absent. */
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

/** A schema may refer to itself. */
const MAX_DEPTH = 8;

const FORMATS: Record<string, string> = {
	'date-time': '2025-06-20T12:00:00Z',
	date: '2025-06-20',
	time: '12:00:00Z',
	email: 'someone@example.com',
	uri: 'https://example.com',
	uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * A value that fits a JSON Schema, taken from what the user wrote: all of it for a string, its first number for a
 * number, the first enum value that it mentions, and true for a boolean that it mentions.
 */
export function fitSchema(schema: unknown, userText: string): unknown {
	return fit(schema, { userText, root: schema, name: '', depth: 0 });
}

interface Position {
	userText: string;
	/** The whole schema, for `$ref`. */
	root: unknown;
	/** The name of the property. */
	name: string;
	depth: number;
}

function fit(part: unknown, position: Position): unknown {
	const schema = jsonSchema.safeParse(part).data ?? {};
	const { userText, depth } = position;
	if (depth > MAX_DEPTH) return null;
	const inner = (child: unknown, name = position.name) =>
		fit(child, { ...position, name, depth: depth + 1 });
	if (schema.default !== undefined) return schema.default;
	if (schema.const !== undefined) return schema.const;
	if (schema.enum !== undefined) {
		return schema.enum.find((choice) => mentions(userText, String(choice))) ?? schema.enum[0];
	}
	if (schema.$ref !== undefined) return inner(resolveReference(schema.$ref, position.root));
	const options = schema.anyOf ?? schema.oneOf;
	if (options !== undefined) return inner(options[0]);
	switch (typeOf(schema)) {
		case 'object':
			return Object.fromEntries(
				Object.entries(schema.properties ?? {}).map(([name, property]) => [
					name,
					inner(property, name),
				]),
			);
		case 'array':
			return schema.items === undefined ? [] : [inner(schema.items)];
		case 'number':
		case 'integer':
			return numberIn(userText, schema);
		case 'boolean':
			return mentions(userText, position.name);
		case 'null':
			return null;
		default:
			return FORMATS[schema.format ?? ''] ?? userText.slice(0, schema.maxLength);
	}
}

function typeOf({ type, properties }: JsonSchema): string | undefined {
	return (Array.isArray(type) ? type[0] : type) ?? (properties && 'object');
}

function numberIn(text: string, { type, minimum, maximum = Infinity }: JsonSchema): number {
	const found = Number(/-?\d+(\.\d+)?/.exec(text)?.[0] ?? NaN);
	const fits =
		found >= (minimum ?? -Infinity) &&
		found <= maximum &&
		(type !== 'integer' || Number.isInteger(found));
	return fits ? found : (minimum ?? Math.min(1, maximum));
}

/** The part of the schema that a reference such as `#/$defs/…` points to. */
function resolveReference(reference: string, root: unknown): unknown {
	return reference
		.split('/')
		.slice(1)
		.reduce<unknown>(
			(value, key) =>
				typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
			root,
		);
}

/** Whether a text contains a name as plain words: "please make a video of …" mentions `Make_a_Video`. */
export function mentions(text: string, name: string): boolean {
	return wordsOf(text).includes(wordsOf(name));
}

/** The words, separated and surrounded by spaces. */
function wordsOf(text: string): string {
	return ` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()} `;
}
