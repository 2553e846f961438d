import type { INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../engine/useServers';
import { merged, type Model, runAgent, useModel } from '../../engine/runAgent';
import { nodeTypes } from '../../engine/runNode';
import { askSomeone, findModels, makeVideo } from './toolNodes';
import { stopWhen, until } from '../../clock/until';

const simulator = useSimulator();

type Work = (model: Model) => Promise<unknown>;

const withModel = async (work: Work, model: INodeParameters = {}, signal?: AbortSignal) =>
	await useModel(simulator, work, { model, ...(signal && { signal }) });

const weather = {
	type: 'function',
	function: {
		name: 'weather',
		description: 'Tells the weather',
		parameters: { type: 'object', properties: { city: { type: 'string' } } },
	},
};
const bodies = () => simulator.requests.map(({ body }) => body as Record<string, unknown>);

test.each([false, true])(
	'the model calls tools and gets their results (streaming: %s)',
	async (streaming) => {
		const { result, error } = await withModel(async (model) => {
			const modelWithTools = model.bindTools([weather]);
			const question = ['user', '[call:weather {"city":"Rome"}] [call:weather {"city":"Oslo"}]'];
			const ask = async (messages: unknown[]) => {
				if (!streaming) return await modelWithTools.invoke(messages);
				return await merged(await modelWithTools.stream(messages));
			};
			const reply = await ask([question]);
			const results = (reply.tool_calls ?? []).map(({ id }, index) => ({
				type: 'tool',
				content: `${20 + index} degrees`,
				tool_call_id: id,
			}));
			const final = await ask([question, reply, ...results]);
			return {
				calls: reply.tool_calls?.map(({ name, args }) => ({ name, args })),
				text: final.text,
			};
		});
		expect(error).toBeUndefined();
		expect(result).toEqual({
			calls: [
				{ name: 'weather', args: { city: 'Rome' } },
				{ name: 'weather', args: { city: 'Oslo' } },
			],
			text: expect.stringContaining('21 degrees'),
		});
		expect(bodies()[0]?.tools).toEqual([weather]);
		expect(bodies()[1]?.messages).toMatchObject([
			{ role: 'user' },
			{ role: 'assistant', content: null, tool_calls: [{ type: 'function' }, {}] },
			{ role: 'tool', content: '20 degrees' },
			{ role: 'tool', content: '21 degrees' },
		]);
	},
);

test('every model is requested from the chat completions endpoint', async () => {
	const { error } = await withModel(async (model) => await model.invoke([['user', 'Hello']]), {
		model: { __rl: true, mode: 'id', value: 'gpt-5.2-pro-codex' },
	});
	expect(error?.message).toMatch(/model does not exist/);
	expect(simulator.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
});

test('a temporary failure is retried, and a refused request fails with a clear error without the key', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'unavailable', times: 1 });
	const ask: Work = async (model) => (await model.invoke([['user', 'Hello']])).text;
	expect((await withModel(ask)).result).toEqual(expect.any(String));
	expect(simulator.count('chat')).toBe(2);

	simulator.inject({ endpoint: 'chat', fault: 'echo-key-general' });
	const { error, run } = await withModel(ask);
	expect(error?.message).toMatch(/refused the API key/);
	expect(JSON.stringify(run.data)).not.toContain(simulator.key);
	expect(simulator.count('chat')).toBe(3);
});

test.each([
	[{ maxRetries: 0 }, 'unavailable', 1, /overload/],
	[{ maxRetries: 1 }, 'unavailable', 2, /overload/],
	[{ maxRetries: 0, timeout: 0.2 }, 'hang', 1, /did not respond within 0\.2 seconds/],
] as const)('its options %j are those of its requests', async (...row) => {
	const [options, fault, sent, message] = row;
	simulator.inject({ endpoint: 'chat', fault });
	const ask: Work = async (model) => await model.invoke([['user', 'Hello']]);
	const { error } = await withModel(ask, { options });
	expect(error?.message).toMatch(message);
	expect(simulator.count('chat')).toBe(sent);
});

test('the reader of a stream gets the whole error of the model, of which n8n sends the description alone', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'model-not-found' });
	const ask: Work = async (model) => await model.invoke([['user', 'Hello']]);
	const { chunks } = await useModel(simulator, ask, { streaming: true });
	expect(chunks.at(-1)).toMatchObject({ type: 'error' });
	expect(chunks.at(-1)?.content).toMatch(/model does not exist.*\.\nChoose a model/);
});

test.each([
	['a temperature out of range', { options: { temperature: 3 } }, /Temperature/],
	['a model of 2 MB', { model: { __rl: true, mode: 'id', value: 'x'.repeat(2e6) } }, /at most 512/],
	['no model', { model: { __rl: true, mode: 'id', value: '' } }, /Model is empty/],
	['an additional body that is not JSON', { options: { additionalBody: '{' } }, /not valid JSON/],
	['an invalid timeout', { options: { timeout: -1 } }, /Timeout/],
])('%s is refused before any request, with the error at the model node', async (...row) => {
	const [, parameters, message] = row;
	const { error, run } = await withModel(
		async (model) => await model.invoke([['user', 'Hello']]),
		parameters,
	);
	expect(error?.message).toBe('Error in sub-node Model');
	expect(error?.description).toMatch(message);
	const shown = run.data.resultData.runData.Model?.[0]?.error;
	expect(shown?.message).toMatch(message);
	expect(shown?.description).toContain('Nothing was sent');
	expect(simulator.requests).toEqual([]);
});

test.each([
	['', {}],
	[', also one that its caller can abort', { signal: new AbortController().signal }],
])('stopping the workflow ends a request in flight at once%s', async (_which, options) => {
	simulator.inject({ endpoint: 'chat', fault: 'hang' });
	const ask: Work = async (model) => await model.invoke([['user', 'Hello']], options);
	const { run } = await stopWhen(
		() => simulator.count('chat') > 0,
		async (signal) => await withModel(ask, {}, signal),
	);
	expect(run.status).toBe('canceled');
	await until(() => simulator.openRequests === 0);
	expect(simulator.count('chat')).toBe(1);
});

test.each([false, true])(
	'an agent asks no more often than Max Billable Requests allows (streaming: %s)',
	async (streaming) => {
		const { result } = await runAgent(simulator, {
			model: { options: { maxBillableRequests: 2, maxRetries: 0 } },
			streaming,
			async work({ model }) {
				const texts: string[] = [];
				for (const prompt of ['A', '[fault:invalid-request]', 'B', 'C']) {
					const ask = async () => {
						const question = [['user', prompt]];
						if (!streaming) return (await model.invoke(question)).text;
						return (await merged(await model.stream(question))).text;
					};
					texts.push(await ask().catch((error: Error) => `Failed: ${error.message}`));
				}
				return texts;
			},
		});
		expect((result as string[]).map((text) => text.startsWith('Failed'))).toEqual([
			...[false, true, false],
			true,
		]);
		expect((result as string[])[3]).toMatch(/Max Billable Requests/);
		expect(simulator.count('chat') + simulator.count('chatStream')).toBe(3);
	},
);

test('its form has no option that the agent decides', () => {
	const { properties } =
		nodeTypes['n8n-nodes-generation-service.lmChatGenerationService']!.description;
	const names = properties.flatMap(({ options = [] }) => options.map(({ name }) => name));
	expect(names).toEqual(expect.arrayContaining(['temperature', 'maxBillableRequests', 'timeout']));
	const decided = ['stream', 'systemMessage', 'jsonOutput', 'includeInputFields', 'maxConcurrency'];
	expect(names.filter((name) => decided.includes(name))).toEqual([]);
});

test('an agent sees each node as a tool with a description and its parameters', async () => {
	const { result, error } = await runAgent(simulator, {
		work: async ({ tools, model }) => {
			await model.bindTools(tools).invoke([['user', 'Hello']]);
			return Object.fromEntries(tools.map(({ name, description }) => [name, description]));
		},
		tools: [makeVideo, askSomeone, findModels],
	});
	expect(error).toBeUndefined();
	expect(result).toEqual({
		Make_a_Video: expect.stringMatching(/video/i),
		Ask_an_Expert: expect.stringMatching(/language model/i),
		Find_Models: expect.stringMatching(/models/i),
	});
	const { tools } = simulator.requests[0]!.body as {
		tools: Array<{ function: { name: string; parameters: object } }>;
	};
	const video = tools.find((tool) => tool.function.name === 'Make_a_Video');
	expect(video?.function.parameters).toMatchObject({
		type: 'object',
		properties: {
			prompt: { type: 'string', description: 'What the video shows' },
			seconds: { type: 'number' },
		},
		required: ['prompt', 'seconds'],
	});
});
