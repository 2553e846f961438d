import * as zod4 from 'zod';
import { z as zod3 } from 'zod/v3';
import { toolParameters } from '../../gateway';

const text = zod3.string();

test.each<[string, zod3.ZodTypeAny, object]>([
	['a text', text.describe('Which'), { type: 'string', description: 'Which' }],
	['a number', zod3.number().min(1), { type: 'number' }],
	['a whole number', zod3.number().int(), { type: 'integer' }],
	['a switch', zod3.boolean(), { type: 'boolean' }],
	['null', zod3.null(), { type: 'null' }],
	['a literal', zod3.literal('a'), { const: 'a' }],
	['a choice', zod3.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
	['a list', zod3.array(text), { type: 'array', items: { type: 'string' } }],
	['a record', zod3.record(text), { type: 'object', additionalProperties: { type: 'string' } }],
	['an empty object', zod3.object({}), { type: 'object', properties: {} }],
	['a union', text.or(zod3.null()), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
	[
		'a discriminated union',
		zod3.discriminatedUnion('kind', [zod3.object({ kind: zod3.literal('a') })]),
		{ anyOf: [{ type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] }] },
	],
	['a nullable', text.nullable(), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
	['a default', text.default('a'), { type: 'string', default: 'a' }],
	['a fallback', text.catch('a'), { type: 'string' }],
	['a read-only text', text.readonly(), { type: 'string' }],
	['a branded text', text.brand('name'), { type: 'string' }],
	['a checked text', text.refine(() => true), { type: 'string' }],
	['a pipe', text.pipe(zod3.coerce.number()), { type: 'string' }],
	['anything', zod3.any(), {}],
	['what has no JSON', zod3.function(), {}],
])('%s of another copy of zod 3 is described to the model', (_what, schema, expected) => {
	expect(toolParameters(schema)).toEqual(expected);
});

test('what may be left out of an object is not required', () => {
	const shape = { a: text, b: text.optional(), c: text.default('c'), d: text.catch('d') };
	expect(toolParameters(zod3.object(shape))).toMatchObject({ required: ['a'] });
	expect(
		toolParameters(zod4.object({ a: zod4.string(), b: zod4.string().default('b') })),
	).toMatchObject({ required: ['a'] });
});

test('what JSON Schema cannot say of a schema of zod 4 does not fail the tool', () => {
	expect(toolParameters(zod4.object({ a: zod4.bigint() }))).toMatchObject({
		properties: { a: {} },
	});
});

test('JSON Schema, and what is no schema, is handed on', () => {
	const schema = { type: 'object', properties: {} };
	for (const given of [schema, undefined, null, 'text']) expect(toolParameters(given)).toBe(given);
});
