import { rawJson, rawResponse } from '../../engine/rawServer';
import { merged, type Model, type Reply, runAgent, useModel } from '../../engine/runAgent';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { until } from '../../clock/until';

const simulator = useSimulator();
const service = useRawServer();

const question = [['user', 'Hello']];

const reply = {
	whole: async (model: Model) => await model.invoke(question),
	streamed: async (model: Model) => await merged(await model.stream(question)),
};

/** The tool calls that the agent gets of a response with these, streamed or not. */
async function callsOf(
	toolCalls: unknown[],
	ask: (model: Model) => Promise<Reply>,
	finishReason = 'tool_calls',
	key = 'key',
) {
	const message = { role: 'assistant', content: null, tool_calls: toolCalls };
	const sent = (field: string) =>
		JSON.stringify({ choices: [{ index: 0, finish_reason: finishReason, [field]: message }] });
	service.respond = (request) =>
		request.includes('"stream":true')
			? rawResponse('200 OK', `data: ${sent('delta')}\n\ndata: [DONE]\n\n`)
			: rawResponse('200 OK', sent('message'));
	return await useModel({ url: service.url, key }, async (model) => (await ask(model)).tool_calls);
}

const call = (name: string, args: unknown, more: object = {}) => ({
	...more,
	type: 'function',
	function: { name, arguments: args },
});

describe.each(['whole', 'streamed'] as const)('in a %s response', (mode) => {
	test('tool calls without IDs stay separate', async () => {
		const { result, error } = await callsOf(
			[
				call('weather', '{"city":"Rome"}', { index: null }),
				call('weather', '{"city":"Oslo"}', { index: null, id: null }),
			],
			reply[mode],
		);
		expect(error).toBeUndefined();
		const found = result as NonNullable<Reply['tool_calls']>;
		expect(found).toMatchObject([{ args: { city: 'Rome' } }, { args: { city: 'Oslo' } }]);
		expect(new Set(found.map(({ id }) => id))).not.toContain(undefined);
		expect(new Set(found.map(({ id }) => id)).size).toBe(2);
	});

	test('tool arguments may be an object or empty', async () => {
		const { result } = await callsOf(
			[call('weather', { city: 'Rome' }, { id: 'call-1' }), call('time', '', { id: 'call-2' })],
			reply[mode],
		);
		expect(result).toMatchObject([
			{ id: 'call-1', name: 'weather', args: { city: 'Rome' } },
			{ id: 'call-2', name: 'time', args: {} },
		]);
	});

	test.each(['{"city":"Ro', ''])(
		'an incomplete tool call fails, and the error names Max Tokens: %j',
		async (args) => {
			const calls = [call('time', '', { id: 'call-1' }), call('weather', args, { id: 'call-2' })];
			const { result, error } = await callsOf(calls, reply[mode], 'length');
			expect(result).toBeUndefined();
			expect(error?.message).toMatch(/called the tool weather with arguments that are not JSON/);
			expect(error?.description).toMatch(/increase Max Tokens/);
		},
	);

	test('a tool call without a name fails, and the error shows it', async () => {
		const { error } = await callsOf([{ type: 'function', plan: 'rain' }], reply[mode]);
		expect(error?.message).toMatch(/invalid tool call/);
		expect(error?.description).toContain('rain');
	});
});

test.each([
	['that of the service, which may count what it thinks', [1, 2, 9], [1, 2, 9]],
	['the sum, where the service has none', [1, 2, undefined], [1, 2, 3]],
	['the answer, where nothing else is counted', [undefined, 2, undefined], [0, 2, 2]],
	['the question, where nothing else is counted', [1, undefined, undefined], [1, 0, 1]],
])('the total of the tokens is %s', async (_what, sent, shown) => {
	const [prompt_tokens, completion_tokens, total_tokens] = sent;
	const usage = { prompt_tokens, completion_tokens, total_tokens };
	const choices = [{ message: { content: 'Hi' }, finish_reason: 'stop' }];
	service.respond = () => rawJson({ choices, usage });
	const { result } = await useModel(
		service,
		async (model) => (await reply.whole(model)).usage_metadata,
	);
	const [input_tokens, output_tokens, total] = shown;
	expect(result).toMatchObject({ input_tokens, output_tokens, total_tokens: total });
});

describe.each(['whole', 'streamed'] as const)('an agent whose service answers %s', (mode) => {
	/** Asks twice, with the call of the first answer and its result in the second question. */
	const inTwoRounds = async (message: object) => {
		const asked: Array<{ messages: unknown[] }> = [];
		const sent = (field: string) =>
			JSON.stringify({ choices: [{ index: 0, finish_reason: 'tool_calls', [field]: message }] });
		service.respond = (request) => {
			asked.push(JSON.parse(request.slice(request.indexOf('\r\n\r\n'))) as (typeof asked)[0]);
			return request.includes('"stream":true')
				? rawResponse('200 OK', `data: ${sent('delta')}\n\ndata: [DONE]\n\n`)
				: rawResponse('200 OK', sent('message'));
		};
		const replies: Reply[] = [];
		const { error } = await useModel({ url: service.url, key: 'key' }, async (model) => {
			const history: unknown[] = [...question];
			for (let round = 0; round < 2; round += 1) {
				const answer =
					mode === 'whole'
						? await model.invoke(history)
						: await merged(await model.stream(history));
				replies.push(answer);
				const [called] = answer.tool_calls!;
				history.push(answer, { role: 'tool', content: 'Rain', tool_call_id: called!.id });
			}
			return null;
		});
		expect(error).toBeUndefined();
		return { replies, messages: asked[1]!.messages };
	};

	test('with the same ID in each round gets calls with IDs of their own', async () => {
		const { replies, messages } = await inTwoRounds({
			tool_calls: [call('weather', '{"city":"Rome"}', { id: 'call_0' })],
		});
		const [first, second] = replies.map(({ tool_calls }) => tool_calls![0]!.id);
		expect(first).toBe('call_0');
		expect(second).not.toBe('call_0');
		expect(messages).toMatchObject([
			{},
			{ tool_calls: [{ id: 'call_0' }] },
			{ tool_call_id: 'call_0' },
		]);
	});

	test('with the same ID for both calls of an answer gets calls with IDs of their own', async () => {
		const same = ['Rome', 'Oslo'].map((city) =>
			call('weather', JSON.stringify({ city }), { id: 'call_0' }),
		);
		const { replies } = await inTwoRounds({ tool_calls: same });
		const ids = replies.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
		expect(ids[0]).toBe('call_0');
		expect(new Set(ids).size).toBe(4);
	});

	test('sends back what a reasoning model needs with the results of its calls, and nothing of its own', async () => {
		const extra_content = { google: { thought_signature: 'c2ln' } };
		const { messages } = await inTwoRounds({
			reasoning_content: 'Does it rain?',
			tool_calls: [call('weather', '{"city":"Rome"}', { id: 'call_0', extra_content })],
		});
		expect(messages[1]).toMatchObject({
			reasoning_content: 'Does it rain?',
			tool_calls: [{ id: 'call_0', extra_content }],
		});
		const details = [
			{ type: 'reasoning.text', text: 'Does it', index: 0, format: 'google-gemini-v1' },
			{ type: 'reasoning.encrypted', data: 'c2ln', id: 'call_0', index: 0 },
		];
		const detailed = await inTwoRounds({
			reasoning: 'Does it rain?',
			reasoning_details: details,
			tool_calls: [call('weather', '{"city":"Rome"}', { id: 'call_0' })],
		});
		expect(detailed.messages[1]).toMatchObject({ reasoning_details: details });
		expect(detailed.messages[1]).not.toHaveProperty('reasoning');
		const plain = await inTwoRounds({
			reasoning_content: '',
			reasoning_details: [],
			tool_calls: [call('weather', '{}', { id: 'call_0' })],
		});
		expect(plain.messages[1]).not.toHaveProperty('reasoning_content');
		expect(plain.messages[1]).not.toHaveProperty('reasoning_details');
		expect(JSON.stringify(plain.messages)).not.toContain('extra_content');
	});

	test('with neither text nor a call fails, unless the answer was cut off or filtered', async () => {
		const silent = async (finish: string) => await callsOf([], reply[mode], finish);
		expect((await silent('stop')).error?.message).toMatch(/neither text nor a call/);
		for (const finish of ['length', 'content_filter'])
			expect((await silent(finish)).error).toBeUndefined();
	});
});

test.each([
	['stop', 'stop'],
	['length', 'length'],
	['content_filter', 'content-filter'],
	['tool_calls', 'tool-calls'],
	['eos', 'stop'],
	['finished', 'other'],
	['MAX_TOKENS', 'length'],
	[null, 'other'],
])('a stream that ends with the finish reason %s tells LangChain %s', async (sent, told) => {
	const chunk = JSON.stringify({ choices: [{ delta: { content: 'Hi' }, finish_reason: sent }] });
	service.respond = () => rawResponse('200 OK', `data: ${chunk}\n\ndata: [DONE]\n\n`);
	const { result } = await useModel({ url: service.url, key: 'key' }, async (model) => {
		const { text, response_metadata } = await reply.streamed(model);
		return { text, response_metadata };
	});
	expect(result).toMatchObject({ text: 'Hi', response_metadata: { finish_reason: told } });
});

test.each([
	['invalid tool call', { type: 'function', plan: 'local-key' }],
	['arguments that are not JSON', call('get local-key', '{"key":"local-key')],
])('the API key is removed from the error of a call: %s', async (_what, wrong) => {
	const { error } = await callsOf([wrong], reply.whole, 'tool_calls', 'local-key');
	expect(error?.description).toMatch(/The model says: \{.*\[API key removed\]/);
	expect(error?.description).not.toContain('Max Tokens');
	expect(`${error?.message} ${error?.description}`).not.toContain('local-key');
});

const bodies = () => simulator.requests.map(({ body }) => body as Record<string, unknown>);

test('stop sequences of a chain are added to those of the node', async () => {
	const stop = ['Observation:'];
	await useModel(simulator, async (model) => (await model.invoke(question, { stop })).text, {
		model: { options: { stop: ['END'] } },
	});
	expect(bodies()).toMatchObject([{ stop: ['END', 'Observation:'] }]);
});

test('a prompt in parts, what the model said beside a call but not what it thought, and a result in parts are sent', async () => {
	const id = 'call-1';
	const parts = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }));
	const thought = { type: 'reasoning', reasoning: 'Does it rain?' };
	const tool_calls = [{ id, name: 'weather', args: {} }];
	const messages = [
		{ role: 'user', content: parts('Sum up:', 'A long text') },
		{ role: 'assistant', content: [thought, ...parts('Let me', ' see')], tool_calls },
		{ role: 'tool', content: parts('Rain'), tool_call_id: id },
	];
	await useModel(simulator, async (model) => (await model.invoke(messages)).text);
	expect(bodies()[0]?.messages).toMatchObject([
		{ role: 'user', content: 'Sum up:\n\nA long text' },
		{ role: 'assistant', content: 'Let me see', tool_calls: [{ id }] },
		{ role: 'tool', content: '[{"type":"text","text":"Rain"}]', tool_call_id: id },
	]);
});

test('a stream whose chunks all arrive at once is whole', async () => {
	const words = Array.from({ length: 300 }, (_, index) => `${index} `);
	const chunks = words.map(
		(content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`,
	);
	service.respond = () => rawResponse('200 OK', `${chunks.join('')}data: [DONE]\n\n`);
	const { result } = await useModel({ url: service.url, key: 'key' }, async (model) => {
		const { text } = await reply.streamed(model);
		return text;
	});
	expect(result).toBe(words.join(''));
});

const png = { url: 'data:image/png;base64,iVBORw0KGgo=' };

describe.each<[string, (model: Model, content: unknown) => Promise<unknown>]>([
	['does not stream', async (model, content) => await model.invoke([{ role: 'user', content }])],
	[
		'streams',
		async (model, content) => await merged(await model.stream([{ role: 'user', content }])),
	],
	[
		'has tools',
		async (model, content) =>
			await model.bindTools([]).invoke([...question, { role: 'user', content }]),
	],
])('an agent that %s', (_name, ask) => {
	test.each<[string, object]>([
		['an image from AI Agent', { type: 'image_url', image_url: png }],
		['an image', { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
		['a PDF from AI Agent', { type: 'file', source_type: 'base64', mime_type: 'application/pdf' }],
		['an audio recording', { type: 'input_audio', input_audio: {} }],
	])('cannot send %s: it is refused before any request, with advice', async (_what, part) => {
		for (const content of [[part], [{ type: 'text', text: 'What is this?' }, part]]) {
			const { error } = await useModel(simulator, async (model) => await ask(model, content));
			expect(error?.message).toMatch(
				/contain an image or a file, but the service accepts text only/,
			);
			expect(error?.description).toContain('Automatically Passthrough Binary Images');
			expect(error).toMatchObject({ node: { name: 'Model' } });
		}
		expect(simulator.requests).toEqual([]);
	});
});

test('the caller can abort a request, which closes its connection', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'hang' });
	const abort = new AbortController();
	const { error } = await useModel(simulator, async (model) => {
		const reply = model.invoke(question, { signal: abort.signal });
		await until(() => simulator.count('chat') > 0);
		abort.abort();
		return (await reply).text;
	});
	expect(error).toBeDefined();
	await until(() => simulator.openRequests === 0);
	expect(simulator.count('chat')).toBe(1);
});

test('a stream is aborted when the caller stops reading it', async () => {
	simulator.inject({ endpoint: 'chatStream', fault: 'stream-endless' });
	const { result } = await useModel(simulator, async (model) => {
		let read = 0;
		for await (const { text } of await model.stream(question)) {
			read += text.length;
			if (read > 100) return 'enough';
		}
		return 'all';
	});
	expect(result).toBe('enough');
	await until(() => simulator.openRequests === 0);
});

test('an option that is refused names the item that it is of', async () => {
	const { error } = await runAgent(simulator, {
		items: [{ temperature: 1 }, { temperature: 9 }],
		model: { options: { temperature: '={{ $json.temperature }}' } },
		withoutModel: true,
		work: async ({ modelOf }) => [await modelOf(0), await modelOf(1)],
	});
	expect(error?.description).toMatch(/^Temperature must be .* \[item 1\]$/);
	expect(simulator.requests).toEqual([]);
});
