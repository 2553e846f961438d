import * as z from 'zod';

type JsonSchema = Record<string, unknown>;

const zod3Schema = z.looseObject({ _def: z.looseObject({ typeName: z.string() }) });

type Zod3Schema = z.infer<typeof zod3Schema>;

/**
 * The JSON Schema of a tool's parameters. n8n describes them as JSON Schema or with zod, whose schemas are recognised by
 * their shape: with several copies of zod in one process, `instanceof` only works for one's own.
 */
export function toolParameters(schema: unknown): unknown {
	if (isZod4(schema)) return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
	return isZod3(schema) ? describe(schema) : schema;
}

function isZod4(schema: unknown): schema is z.core.$ZodType {
	return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

function isZod3(schema: unknown): schema is Zod3Schema {
	return zod3Schema.safeParse(schema).success;
}

function describe(schema: unknown): JsonSchema {
	if (!isZod3(schema)) return {};
	const { _def } = schema;
	const { description, typeName } = _def;
	// A type that only wraps another has it in one of these fields.
	const wrapped = _def.innerType ?? _def.schema ?? _def.in ?? _def.type;
	const type = TYPES[typeName]?.(_def) ?? describe(wrapped);
	return { ...type, ...(typeof description === 'string' && { description }) };
}

/** What may be left out of an object. */
const OPTIONAL = ['ZodOptional', 'ZodDefault', 'ZodCatch'];

const anyOf = ({ options }: Zod3Schema['_def']) => ({ anyOf: listOf(options).map(describe) });

/**
 * By zod 3's type names. The tool itself checks limits of texts and numbers; a type that is not here, and wraps none of these,
 * allows anything.
 */
const TYPES: Record<string, (definition: Zod3Schema['_def']) => JsonSchema> = {
	ZodString: () => ({ type: 'string' }),
	ZodNumber: ({ checks }) => ({ type: isInteger(checks) ? 'integer' : 'number' }),
	ZodBoolean: () => ({ type: 'boolean' }),
	ZodNull: () => ({ type: 'null' }),
	ZodLiteral: ({ value }) => ({ const: value }),
	ZodEnum: ({ values }) => ({ type: 'string', enum: values }),
	ZodArray: ({ type }) => ({ type: 'array', items: describe(type) }),
	ZodRecord: ({ valueType }) => ({ type: 'object', additionalProperties: describe(valueType) }),
	ZodObject: ({ shape }) => describeObject(typeof shape === 'function' ? shape() : {}),
	ZodUnion: anyOf,
	ZodDiscriminatedUnion: anyOf,
	ZodNullable: ({ innerType }) => ({ anyOf: [describe(innerType), { type: 'null' }] }),
	ZodDefault: ({ innerType, defaultValue }) => ({
		...describe(innerType),
		...(typeof defaultValue === 'function' && { default: defaultValue() as unknown }),
	}),
};

function describeObject(shape: object): JsonSchema {
	const fields = Object.entries(shape);
	const required = fields.filter(
		([, field]) => isZod3(field) && !OPTIONAL.includes(field._def.typeName),
	);
	return {
		type: 'object',
		properties: Object.fromEntries(fields.map(([name, field]) => [name, describe(field)])),
		...(required.length > 0 && { required: required.map(([name]) => name) }),
	};
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function isInteger(checks: unknown): boolean {
	return listOf(checks).some(
		(check) => z.object({ kind: z.literal('int') }).safeParse(check).success,
	);
}
