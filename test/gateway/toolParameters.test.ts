import * as zod4 from 'zod';
import { z as zod3 } from 'zod/v3';
import { toolParameters } from '../../gateway';

const text = zod3.string();

test.each<[string, zod3.ZodTypeAny, object]>([
	['a string', text.describe('Which'), { type: 'string', description: 'Which' }],
	['a number', zod3.number().min(1), { type: 'number' }],
	['a whole number', zod3.number().min(1).int(), { type: 'integer' }],
	['a boolean', zod3.boolean(), { type: 'boolean' }],
	['an enum', zod3.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
	['an array', zod3.array(text), { type: 'array', items: { type: 'string' } }],
	['an empty object', zod3.object({}), { type: 'object', properties: {}, required: [] }],
	['a literal', zod3.literal(3), { const: 3 }],
	['a nullable', text.nullable(), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
	['a default', text.default('a'), { type: 'string' }],
	['an optional', zod3.optional(text.describe('Which')), { type: 'string', description: 'Which' }],
	['a catch', text.catch('a'), { type: 'string' }],
	['a read-only string', text.readonly(), { type: 'string' }],
	['a branded string', text.brand('name'), { type: 'string' }],
	['a refined string', text.refine(() => true), { type: 'string' }],
	['a pipe', text.pipe(zod3.coerce.number()), { type: 'string' }],
	['anything', zod3.any(), {}],
	['a union', text.or(zod3.null()), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
	[
		'a discriminated union',
		zod3.discriminatedUnion('kind', [zod3.object({ kind: zod3.literal('a') })]),
		{ anyOf: [{ type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] }] },
	],
	['a type without JSON', zod3.function(), {}],
])('%s from another copy of zod 3 becomes JSON Schema', (_what, schema, expected) => {
	expect(toolParameters(schema)).toEqual(expected);
});

test('optional fields of an object are not required', () => {
	const shape = { a: text, b: text.optional(), c: text.default('c'), d: text.catch('d') };
	expect(toolParameters(zod3.object(shape))).toMatchObject({ required: ['a'] });
	expect(
		toolParameters(zod4.object({ a: zod4.string(), b: zod4.string().default('b') })),
	).toMatchObject({ required: ['a'] });
});

test('a zod 4 type that JSON Schema cannot express does not fail the tool', () => {
	expect(toolParameters(zod4.object({ a: zod4.bigint() }))).toMatchObject({
		properties: { a: {} },
	});
});

test('JSON Schema and values that are no schema are passed through', () => {
	const schema = { type: 'object', properties: {} };
	for (const value of [schema, undefined, null, 'text']) expect(toolParameters(value)).toBe(value);
});
