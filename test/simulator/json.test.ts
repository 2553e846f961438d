import { StructuredOutputParser } from '@langchain/core/output_parsers';
import * as z from 'zod';
import { useSimulator } from '../engine/useSimulator';
import { CHAT, jsonOf, post, chatRequest } from './client';

const simulator = useSimulator();

const completion = z.object({
	choices: z.tuple([
		z.object({ message: z.object({ content: z.string() }), finish_reason: z.string() }),
	]),
});

async function answerTo(prompt: string, more: object = {}) {
	const messages = [{ role: 'user', content: prompt }];
	const response = await post(simulator, CHAT, { ...chatRequest, messages, ...more });
	const { choices } = completion.parse(jsonOf(response));
	return { text: choices[0].message.content, reason: choices[0].finish_reason };
}

const withSchema = (schema: object) => ({
	response_format: { type: 'json_schema', json_schema: { name: 'it', schema } },
});

test('json_object gives an object with the prompt', async () => {
	const { text } = await answerTo('Hello', { response_format: { type: 'json_object' } });
	expect(JSON.parse(text)).toEqual({ answer: 'Hello' });
});

test('response_format text or an unknown one gives plain text', async () => {
	for (const type of ['text', 'poem']) {
		const { text } = await answerTo('Hello', { response_format: { type } });
		expect(text).toMatch(/Hello/);
		expect(text).not.toMatch(/^\{/);
	}
});

test('json_schema gives an object that fits the schema, with values from the prompt', async () => {
	const { text } = await answerTo('A late delivery of 3 boats, urgent: a bad mood', {
		...withSchema({
			type: 'object',
			properties: {
				summary: { type: 'string', maxLength: 6 },
				mood: { type: 'string', enum: ['good', 'bad'] },
				boats: { type: 'integer', minimum: 1 },
				score: { type: 'number', minimum: 4, maximum: 5 },
				urgent: { type: 'boolean' },
				friendly: { type: 'boolean' },
				day: { type: 'string', format: 'date' },
				tags: { type: 'array', items: { $ref: '#/$defs/tag' } },
				maybe: { type: ['null', 'string'] },
				either: { anyOf: [{ const: 'this' }, { const: 'that' }] },
			},
			$defs: { tag: { type: 'object', properties: { late: { type: 'boolean' } } } },
		}),
	});
	expect(JSON.parse(text)).toEqual({
		summary: 'A late',
		mood: 'bad',
		boats: 3,
		score: 4,
		urgent: true,
		friendly: false,
		day: '2025-06-20',
		tags: [{ late: true }],
		maybe: null,
		either: 'this',
	});
});

test('a recursive schema gives a finite object', async () => {
	const node = { type: 'object', properties: { next: { $ref: '#' } } };
	const { text } = await answerTo('Hello', withSchema(node));
	expect(text).toMatch(/^(\{"next":)+null\}+$/);
});

test('max_tokens cuts off JSON', async () => {
	const { text, reason } = await answerTo('Hello to you', {
		response_format: { type: 'json_object' },
		max_tokens: 1,
	});
	expect(reason).toBe('length');
	expect(() => JSON.parse(text)).toThrow();
});

const parser = StructuredOutputParser.fromZodSchema(
	z.object({ output: z.object({ city: z.string(), days: z.array(z.number().int()) }) }),
);

test.each([
	[
		'in the system message',
		(prompt: string, format: string) => [
			['system', format],
			['user', prompt],
		],
	],
	['after the prompt', (prompt: string, format: string) => [['user', `${prompt}\n${format}`]]],
])("format instructions of n8n's output parsers %s are followed", async (_where, build) => {
	const parts = build('Two days in Rome, 2', parser.getFormatInstructions());
	const messages = parts.map(([role, content]) => ({ role, content }));
	const { text } = await answerTo('', { messages });
	expect(text).toMatch(/^```json\n/);
	expect(await parser.parse(text)).toEqual({
		output: { city: 'Two days in Rome, 2', days: [2] },
	});
});
