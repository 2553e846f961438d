import { useRawServer, useSimulator } from '../../engine/useServers';
import type { INodeParameters } from 'n8n-workflow';
import * as zod4 from 'zod';
import { z as zod3 } from 'zod/v3';
import { rawResponse } from '../../engine/rawServer';
import { type Model, useModel } from '../../engine/runAgent';

const simulator = useSimulator();

const withModel = async (use: (model: Model) => Promise<unknown>, model: INodeParameters = {}) =>
	await useModel(simulator, use, { model });

const question = [['user', 'Why is the sky blue?']];
const bodies = () => simulator.requests.map(({ body }) => body as Record<string, unknown>);
const weather = {
	type: 'function',
	function: { name: 'weather', description: 'Tells the weather', parameters: { type: 'object' } },
};

describe('an answer of text alone is a string, for nodes that join or print it', () => {
	test.each(['without tools', 'with tools'])('%s', async (tools) => {
		const { result, error } = await withModel(async (model) => {
			const asked = tools === 'with tools' ? model.bindTools([weather]) : model;
			const contents: unknown[] = [(await asked.invoke(question)).content];
			for await (const { content } of await asked.stream(question)) contents.push(content);
			return contents.filter((content) => typeof content !== 'string');
		});
		expect(error).toBeUndefined();
		expect(simulator.count('chat') + simulator.count('chatStream')).toBe(2);
		expect(result).toEqual([]);
	});

	test('also when the model calls a tool and says nothing', async () => {
		const { result } = await withModel(
			async (model) =>
				(await model.bindTools([weather]).invoke([['user', '[call:weather]']])).content,
		);
		expect(result).toBe('');
	});
});

describe('the token usage that n8n shows for a call', () => {
	const usageOf = async (streams: boolean, model: INodeParameters = {}) => {
		const { run } = await withModel(async (connected) => {
			if (!streams) return (await connected.invoke(question)).text;
			const texts: string[] = [];
			for await (const { text } of await connected.stream(question)) texts.push(text);
			return texts.join('');
		}, model);
		const [shown] = run.data.resultData.runData.Model ?? [];
		return shown?.data?.ai_languageModel?.[0]?.[0]?.json;
	};
	const counted = {
		promptTokens: expect.any(Number),
		completionTokens: expect.any(Number),
		totalTokens: expect.any(Number),
	};
	const includeUsage = { options: { additionalBody: '{"stream_options":{"include_usage":true}}' } };

	test.each([
		['a whole answer', false, {}],
		['a streamed answer, if the service sends it', true, includeUsage],
	])('is that of the service: %s', async (_name, streams, model) => {
		const shown = await usageOf(streams, model);
		expect(shown).toMatchObject({ tokenUsage: counted });
		expect(shown).not.toHaveProperty('tokenUsageEstimate');
		const { promptTokens, completionTokens, totalTokens } = shown?.tokenUsage as Record<
			string,
			number
		>;
		expect(completionTokens).toBeGreaterThan(5);
		expect(totalTokens).toBe(promptTokens! + completionTokens!);
	});

	test('may be asked for in each stream: where n8n asks for a whole answer, services refuse the field', async () => {
		await usageOf(false, includeUsage);
		await usageOf(true, includeUsage);
		const [whole, streamed] = bodies();
		expect(whole).not.toHaveProperty('stream_options');
		expect(streamed).toMatchObject({ stream: true, stream_options: { include_usage: true } });
	});

	test('is an estimate where the service sends none, and nothing is added to the request', async () => {
		expect(await usageOf(true)).toMatchObject({ tokenUsageEstimate: counted });
		expect(bodies()).toEqual([
			{ model: 'heron-chat', messages: [{ role: 'user', content: question[0]![1] }], stream: true },
		]);
	});
});

describe('a node that needs structured output', () => {
	const fields = (zod: typeof zod4) =>
		zod.object({
			reason: zod.string().describe('Why'),
			score: zod.number().int().describe('From 1 to 5'),
		});
	const jsonSchema = {
		type: 'object',
		properties: { reason: { type: 'string' }, score: { type: 'integer' } },
		required: ['reason', 'score'],
	};

	test.each([
		['of zod 3', fields(zod3 as unknown as typeof zod4)],
		['of zod 4', fields(zod4)],
		['of JSON Schema', jsonSchema],
	])('gets it, with a schema %s', async (_name, schema) => {
		const { result, error } = await withModel(
			async (model) =>
				await model.withStructuredOutput(schema).invoke([['user', 'I give it 4 of 5']]),
		);
		expect(error).toBeUndefined();
		expect(result).toEqual({ reason: 'I give it 4 of 5', score: 4 });
		expect(bodies()).toMatchObject([
			{
				tools: [
					{ type: 'function', function: { name: 'extract', parameters: { type: 'object' } } },
				],
				tool_choice: { type: 'function', function: { name: 'extract' } },
			},
		]);
	});

	test('is named and described to the model as it says itself', async () => {
		await withModel(async (model) => {
			for (const schema of [{ ...jsonSchema, description: 'A grade' }, jsonSchema])
				await model.withStructuredOutput(schema, { name: 'grade' }).invoke([['user', '3 of 5']]);
			return null;
		});
		const described = (description: string) => ({
			tools: [{ function: { name: 'grade', description } }],
		});
		expect(bodies()).toMatchObject([described('A grade'), described('Hands over the answer')]);
	});

	describe('from a model that ignores the tool', () => {
		const plain = useRawServer();

		const answered = async (message: string | object, schema: object = fields(zod4)) => {
			const said = typeof message === 'string' ? { content: message } : message;
			const body = JSON.stringify({ choices: [{ message: said }] });
			const headers = { 'content-type': 'application/json' };
			plain.respond = () => rawResponse('200 OK', body, headers);
			const ask = async (model: Model) => await model.withStructuredOutput(schema).invoke(question);
			return await useModel({ url: plain.url, key: 'a-key' }, ask);
		};

		test('gets it if the answer is JSON', async () => {
			const { result } = await answered('```json\n{"reason":"Good","score":5}\n```');
			expect(result).toEqual({ reason: 'Good', score: 5 });
		});

		test('gets the message alone if it takes that, too', async () => {
			plain.respond = () => rawResponse('200 OK', '{"choices":[{"message":{"content":"Five"}}]}');
			const { result } = await useModel({ url: plain.url, key: 'a-key' }, async (model) => {
				const structured = model.withStructuredOutput(fields(zod4), { includeRaw: true });
				const { raw, parsed } = (await structured.invoke(question)) as Record<string, unknown>;
				return { text: (raw as { text: string }).text, parsed };
			});
			expect(result).toEqual({ text: 'Five', parsed: null });
		});

		test.each([
			['text', 'The key a-key scores 5.', 'It has no JSON.'],
			['JSON that does not fit', '{"reason":"a-key","score":"five"}', 'score: '],
		])(
			'fails for %s, with the reason, at the node of the model',
			async (_name, content, reason) => {
				const { error } = await answered(content);
				expect(error?.message).toBe('The model did not answer in the requested structure');
				expect(error?.description).toContain(reason);
				expect(error?.description).not.toContain('a-key');
				expect(error).toMatchObject({ node: { name: 'Model' } });
			},
		);

		test('fails with what it called the tool with, if that does not fit', async () => {
			const called = { name: 'extract', arguments: '{"reason":"Good","score":"five"}' };
			const { error } = await answered({ tool_calls: [{ id: 'call-1', function: called }] });
			expect(error?.description).toContain('The model says: {"reason":"Good","score":"five"}');
		});

		test('fails without the key where the reason quotes the answer, as zod 3 does', async () => {
			const schema = zod3.object({ reason: zod3.enum(['good', 'bad']) });
			const { error } = await answered('{"reason":"a-key"}', schema);
			expect(error?.description).toContain("received '[API key removed]'");
			expect(error?.description).toContain('The model says: {"reason":"[API key removed]"}');
		});
	});
});

test('a node can demand a call of a tool', async () => {
	const named = { type: 'function', function: { name: 'weather' } };
	await withModel(async (model) => {
		for (const tool_choice of ['any', 'weather', 'auto', 'none', 'required', named])
			await model.bindTools([weather], { tool_choice }).invoke(question);
		return null;
	});
	expect(bodies().map(({ tool_choice }) => tool_choice)).toEqual([
		'required',
		named,
		'auto',
		'none',
		'required',
		named,
	]);
});

test('a failed call names no item: n8n does not tell the model which item it is about', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'quota-not-enough' });
	const { error } = await withModel(async (model) => await model.invoke(question));
	expect(error?.message).toBe('The account has no quota left');
	expect(error?.context).not.toHaveProperty('itemIndex');
	// Only with this does n8n show it at the model, and link to it from the agent.
	expect(error).toMatchObject({ functionality: 'configuration-node' });
});

test('tokens are counted without another server, such as for a summary in a closed network', async () => {
	const fetch = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('No network'));
	const { result } = await withModel(async (model) => [
		await model.getNumTokens('Twelve words that say nothing much, in order to be counted here.'),
		await model.bindTools([weather]).getNumTokens([{ type: 'text', text: 'Two words' }]),
		await model.getNumTokens('空はなぜ青いのですか'),
		await model.getNumTokens(''),
	]);
	expect(fetch).not.toHaveBeenCalled();
	expect(result).toEqual([16, 3, 8, 0]);
});
