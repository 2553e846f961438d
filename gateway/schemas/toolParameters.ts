import * as z from 'zod';

type JsonSchema = Record<string, unknown>;

const zod3Schema = z.looseObject({ _def: z.looseObject({ typeName: z.string() }) });
const zod3Checks = z.array(z.looseObject({ kind: z.string() })).catch([]);

/**
 * The JSON Schema of a tool's parameters. n8n describes them as JSON Schema, or with its own zod 3, of which its SDK makes JSON
 * Schema. A schema of another copy of zod, such as one that a community package brings, is recognised by its shape.
 */
export function toolParameters(schema: unknown): unknown {
	if (isZod4(schema)) return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
	return zod3Schema.safeParse(schema).success ? describe(schema) : schema;
}

function isZod4(schema: unknown): schema is z.core.$ZodType {
	return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

/** What may be left out of an object. */
const OPTIONAL = ['ZodOptional', 'ZodDefault', 'ZodCatch'];

/** By zod 3's type names. The tool itself checks limits of texts and numbers; a type that is not here allows anything. */
const TYPES: Record<string, (definition: z.infer<typeof zod3Schema>['_def']) => JsonSchema> = {
	ZodString: () => ({ type: 'string' }),
	ZodNumber({ checks }) {
		const isWhole = zod3Checks.parse(checks).some(({ kind }) => kind === 'int');
		return { type: isWhole ? 'integer' : 'number' };
	},
	ZodBoolean: () => ({ type: 'boolean' }),
	ZodEnum: ({ values }) => ({ type: 'string', enum: values }),
	ZodLiteral: ({ value }) => ({ const: value }),
	ZodNull: () => ({ type: 'null' }),
	ZodNullable: ({ innerType }) => ({ anyOf: [describe(innerType), { type: 'null' }] }),
	ZodUnion: ({ options }) => anyOf(options),
	ZodDiscriminatedUnion: ({ options }) => anyOf(options),
	ZodArray: ({ type }) => ({ type: 'array', items: describe(type) }),
	ZodObject({ shape }) {
		const fields = Object.entries(typeof shape === 'function' ? (shape() as object) : {});
		return {
			type: 'object',
			properties: Object.fromEntries(fields.map(([name, field]) => [name, describe(field)])),
			required: fields.filter(([, field]) => !isOptional(field)).map(([name]) => name),
		};
	},
};

function anyOf(options: unknown): JsonSchema {
	return Array.isArray(options) ? { anyOf: options.map(describe) } : {};
}

function describe(schema: unknown): JsonSchema {
	const { _def } = zod3Schema.safeParse(schema).data ?? {};
	if (_def === undefined) return {};
	const { description, typeName } = _def;
	// A type that only wraps another has it in one of these fields.
	const type =
		TYPES[typeName]?.(_def) ?? describe(_def.innerType ?? _def.schema ?? _def.in ?? _def.type);
	return { ...type, ...(typeof description === 'string' && { description }) };
}

function isOptional(schema: unknown): boolean {
	return OPTIONAL.includes(zod3Schema.safeParse(schema).data?._def.typeName ?? '');
}
