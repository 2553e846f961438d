import { StructuredOutputParser } from '@langchain/core/output_parsers';
import * as z from 'zod';
import { type Simulator, startSimulator } from '../../simulator';
import { CHAT, jsonOf, post, question } from './client';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator();
});
afterAll(async () => await simulator.close());

const completion = z.object({
	choices: z.tuple([
		z.object({ message: z.object({ content: z.string() }), finish_reason: z.string() }),
	]),
});

async function answerTo(said: string, more: object = {}) {
	const messages = [{ role: 'user', content: said }];
	const seen = await post(simulator, CHAT, { ...question, messages, ...more });
	const { choices } = completion.parse(jsonOf(seen));
	return { text: choices[0].message.content, reason: choices[0].finish_reason };
}

const asking = (schema: object) => ({
	response_format: { type: 'json_schema', json_schema: { name: 'it', schema } },
});

test('a JSON object that is asked for without a schema holds what the user said', async () => {
	const { text } = await answerTo('Hello', { response_format: { type: 'json_object' } });
	expect(JSON.parse(text)).toEqual({ answer: 'Hello' });
});

test('response_format text, and any other, asks for no JSON', async () => {
	for (const type of ['text', 'poem']) {
		const { text } = await answerTo('Hello', { response_format: { type } });
		expect(text).toMatch(/Hello/);
		expect(text).not.toMatch(/^\{/);
	}
});

test('the answer fits the schema, and is drawn from what the user said', async () => {
	const { text } = await answerTo('A late delivery of 3 boats, urgent: a bad mood', {
		...asking({
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

test('a schema that refers to itself is followed to an end', async () => {
	const node = { type: 'object', properties: { next: { $ref: '#' } } };
	const { text } = await answerTo('Hello', asking(node));
	expect(text).toMatch(/^(\{"next":)+null\}+$/);
});

test('Max Tokens cuts a JSON off', async () => {
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
		(said: string, format: string) => [
			['system', format],
			['user', said],
		],
	],
	['after what the user says', (said: string, format: string) => [['user', `${said}\n${format}`]]],
])("format instructions of n8n's output parsers %s are followed", async (_where, build) => {
	const said = build('Two days in Rome, 2', parser.getFormatInstructions());
	const messages = said.map(([role, content]) => ({ role, content }));
	const { text } = await answerTo('', { messages });
	expect(text).toMatch(/^```json\n/);
	expect(await parser.parse(text)).toEqual({
		output: { city: 'Two days in Rome, 2', days: [2] },
	});
});
