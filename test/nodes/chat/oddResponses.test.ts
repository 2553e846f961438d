import type { IDataObject } from 'n8n-workflow';
import { itemOf, itemOfStream, service } from './rawChat';

const choice = (content: string | null, more: object = {}, index = 0) => ({
	index,
	message: { role: 'assistant', content, ...more },
	finish_reason: 'stop',
});
const completion = (more: object = {}) => ({
	id: 'chat-1',
	object: 'chat.completion',
	created: 1,
	model: 'heron-chat',
	choices: [choice('Good day')],
	usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
	...more,
});
const chunk = (delta: object, more: object = {}) => ({
	id: 'chat-1',
	created: 1,
	model: 'heron-chat',
	choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const toolCalls = [
	{ id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
];

test('an id that is a number, and tokens in quotation marks, are output, streamed or not', async () => {
	const odd = { id: 7, usage: { prompt_tokens: '1', completion_tokens: '2', total_tokens: '3' } };
	const expected = { id: '7', usage: completion().usage };
	expect((await itemOf(completion(odd))).json).toMatchObject(expected);
	const chunks = [chunk({ content: 'Good day' }), chunk({}, { finish_reason: 'stop' })];
	const { json } = await itemOfStream(chunks.map((one) => ({ ...one, ...odd })));
	expect(json).toMatchObject(expected);
});

test('without Simplify, calls and token counts are as the service sent them', async () => {
	const usage = { prompt_tokens: '1', completion_tokens: 2, total_tokens: null, cost: 'none' };
	const call = (id: string, text: string) => ({ id, function: { name: 'now', arguments: text } });
	const sent = [call('call-1', '{"a":1}{"b":2}'), call('call-2', '')];
	const whole = completion({ usage, choices: [choice(null, { tool_calls: sent })] });
	const { json } = await itemOf(whole, { simplify: false });
	expect(json).toEqual(whole);
	const simple = (await itemOf(whole)).json;
	expect(simple.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2 });
	expect(simple.tool_calls).toMatchObject([
		{ function: { arguments: '{"a":1}' } },
		{ function: { arguments: '{"b":2}' } },
		{ function: { arguments: '' } },
	]);
});

test('a number of tokens that is none does not cost the others', async () => {
	const usage = { prompt_tokens: 1, completion_tokens: 'some', total_tokens: 3 };
	const { json } = await itemOf(completion({ usage }));
	expect(json.usage).toEqual({ prompt_tokens: 1, total_tokens: 3 });
});

test('the usage that only the last of several choices has is output', async () => {
	const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
	const choices = [choice('Hi'), { ...choice('Go', {}, 1), usage }];
	expect((await itemOf(completion({ usage: undefined, choices }))).json.usage).toEqual(usage);
});

test('a choice without a message does not cost the others', async () => {
	const choices = [choice('Good day'), { index: 1, finish_reason: 'content_filter' }];
	expect((await itemOf(completion({ choices }))).json).toMatchObject({ text: 'Good day' });
	const { json } = await itemOf(completion({ choices }), { simplify: false });
	expect(json.choices).toEqual(choices);
});

test('the text of several answers is that of the one numbered 0, whichever comes first', async () => {
	const choices = [choice('Another', {}, 1), choice('Good day')];
	const { json } = await itemOf(completion({ choices }));
	expect(json.text).toBe('Good day');
});

test('of several answers, each that is cut off has a hint, and Simplify tells that there are more', async () => {
	const choices = [choice('Hi'), { ...choice('Go', {}, 1), finish_reason: 'length' }];
	const { hints } = await itemOf(completion({ choices }));
	expect(hints).toEqual([
		expect.stringMatching(/^1 answer is cut off \(finish_reason: length\)\. Increase Max Tokens/),
		'1 answer is the first of several choices. Turn off Simplify to see them all.',
	]);
	expect((await itemOf(completion({ choices }), { simplify: false })).hints).toHaveLength(1);
});

test('Simplify outputs tool calls, if there are any', async () => {
	const calling = completion({ choices: [choice(null, { tool_calls: toolCalls })] });
	const { json, hints, chunks } = await itemOf(calling, {}, true);
	expect(json).toMatchObject({ text: '', tool_calls: toolCalls });
	expect(hints).toEqual([]);
	expect(chunks.filter(({ type }) => type === 'item')).toEqual([]);
	for (const tool_calls of [undefined, null, []]) {
		const { json: simplified } = await itemOf(
			completion({ choices: [choice('Hi', { tool_calls })] }),
		);
		expect(simplified).not.toHaveProperty('tool_calls');
	}
});

const NO_ERRORS = [null, '', 0, false, {}, [], { message: '', code: 0, data: { retry: [] } }];

test.each([true, false])(
	'a successful response with a field "error" is not an error item (simplify: %s)',
	async (simplify) => {
		for (const error of NO_ERRORS) {
			const { json } = await itemOf(completion({ error }), { simplify });
			expect(json).not.toHaveProperty('error');
			expect(json.id).toBe('chat-1');
		}
	},
);

describe.each<[string, object, string]>([
	['a text', { error: 'CUDA out of memory' }, 'CUDA out of memory'],
	['a code and a message', { error: { code: 502, message: 'It broke off' } }, 'It broke off'],
])('an answer that is cut off by an error as %s', (_what, body, says) => {
	const half = { ...choice('Good'), finish_reason: 'error' };
	const expectHalf = ({ json }: { json: IDataObject }) => {
		const error = json.error as IDataObject;
		expect(error.description).toContain(`The service says: ${says}`);
		expect(error).toMatchObject({ partial_text: 'Good', may_have_been_accepted: true });
	};

	test('is an error, in one piece', async () => {
		expectHalf(await itemOf(completion({ ...body, choices: [half] })));
		expectHalf(await itemOf(completion({ choices: [{ ...half, ...body }] })));
	});

	test('is an error, streamed', async () => {
		const good = chunk({ content: 'Good' });
		expectHalf(await itemOfStream([good, body]));
		expectHalf(await itemOfStream([good, chunk({}, { finish_reason: 'error', ...body })]));
	});
});

test.each([
	['JSON', 'data: {"type":"overloaded","detail":"No room"}', 'No room'],
	['JSON with a message', 'data: {"message":"No room","code":"full"}', 'No room'],
	['text', 'data: No room', 'No room'],
])('an answer that is cut off by an event named error is an error: %s', async (_as, data, says) => {
	const { json } = await itemOf(
		`data: ${JSON.stringify(chunk({ content: 'Good' }))}\n\nevent: error\n: a note\nid: 7\n${data}\n\nevent: message\ndata: [DONE]\n\n`,
		{ options: { stream: true } },
	);
	const error = json.error as IDataObject;
	expect(error.description).toContain(`The service says: ${says}`);
	expect(error.partial_text).toBe('Good');
});

const overload = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const begun = [chunk({ content: 'Good' }), overload].map((event) => JSON.stringify(event));

test.each<[string, object | string]>([
	['behind a part of the answer', begun.map((event) => `data: ${event}\n\n`).join('')],
	['in JSON', overload],
])(
	'an overload inside a response with 200 is paid for, and not sent again: %s',
	async (_, sent) => {
		const { json } = await itemOf(sent, { options: { stream: typeof sent === 'string' } });
		expect(json.error).toMatchObject({ code: 'overloaded_error', may_have_been_accepted: true });
		expect((json.error as IDataObject).partial_text).toBe(
			typeof sent === 'string' ? 'Good' : undefined,
		);
		expect(service.requests).toHaveLength(1);
	},
);

test('a streamed answer has the same fields as one in one piece', async () => {
	const logprobs = (token: string) => ({ content: [{ token, logprob: -1 }], refusal: null });
	const detail = (text: string) => [{ type: 'reasoning.text', format: 'v1', index: 0, text }];
	const pieces = [
		{ content: 'ha', reasoning: 'ha', reasoning_details: detail('a'), plan: 'a', cost: 'none' },
		{ content: 'ha', reasoning: 'ha', reasoning_details: detail('a'), plan: 'b', cost: 5 },
		{ content: '!', reasoning: '.', reasoning_details: detail('b'), notes: [null] },
	]
		.map((delta) => ({ ...delta, provider: 'P' }))
		.map((delta) => chunk(delta, { index: '0', logprobs: logprobs(delta.content) }));
	const end = chunk({}, { finish_reason: 1 });
	const { json } = await itemOfStream([...pieces, end], { simplify: false });
	expect(json.choices).toEqual([
		{
			index: 0,
			finish_reason: '1',
			logprobs: {
				refusal: null,
				content: [...logprobs('ha').content, ...logprobs('ha').content, ...logprobs('!').content],
			},
			message: {
				role: 'assistant',
				content: 'haha!',
				reasoning: 'haha.',
				reasoning_details: [{ type: 'reasoning.text', format: 'v1', index: 0, text: 'aab' }],
				plan: 'ab',
				cost: 5,
				notes: [null],
				provider: 'P',
			},
		},
	]);
});

test('a long answer with the probability of each token is whole, streamed', async () => {
	const content = [{ token: 'a', logprob: -1 }];
	const events = Array.from({ length: 1_000 }, () =>
		chunk({ content: 'a' }, { logprobs: { content } }),
	);
	const { json } = await itemOfStream([...events, chunk({}, { finish_reason: 'stop' })]);
	expect(json.text).toHaveLength(1_000);
});

test('a text that comes in equal pieces is whole, whatever a service calls it', async () => {
	const pieces = {
		content: 'ha',
		refusal: 'ha',
		reasoning_content: 'ha',
		reasoning_text: 'ha',
		thinking: 'ha',
		audio: { data: 'ha', transcript: 'ha' },
		reasoning_details: [{ index: 0, summary: 'ha' }],
		tool_calls: [{ index: 0, function: { name: 'f', arguments: '1' } }],
	};
	const events = [chunk(pieces), chunk(pieces), chunk({}, { finish_reason: 'stop' })];
	const { json } = await itemOfStream(events, { simplify: false });
	expect(json.choices).toMatchObject([
		{
			message: {
				content: 'haha',
				refusal: 'haha',
				reasoning_content: 'haha',
				reasoning_text: 'haha',
				thinking: 'haha',
				audio: { data: 'haha', transcript: 'haha' },
				reasoning_details: [{ index: 0, summary: 'haha' }],
				tool_calls: [{ function: { name: 'f', arguments: '11' } }],
			},
		},
	]);
});

test('a tool call that is not complete is output as it is', async () => {
	const call = { name: 'weather', arguments: '{"city":"Ro' };
	const cut = { id: 'call-1', type: 'function', function: call };
	const choices = [{ ...choice(null, { tool_calls: [cut] }), finish_reason: 'length' }];
	const { json, hints } = await itemOf(completion({ choices }));
	expect(json).toMatchObject({ tool_calls: [cut], finish_reason: 'length' });
	expect(hints).toEqual([expect.stringMatching(/^1 answer is cut off/)]);
});

test('streamed tool calls that repeat their name or have an empty ID are merged', async () => {
	const part = (index: number, id: string | null, name: string, text: string) => ({
		index,
		id,
		type: index === 0 ? 'function' : '',
		function: { name, arguments: text },
	});
	const deltas = [
		[part(1, 'call-2', 'time', '{'), part(0, 'call-1', 'weather', '{"city"')],
		[part(0, '', 'weather', ':"Rome"')],
		[part(0, null, '', '}'), part(1, 'call-2', 'time', '}')],
	].map((tool_calls) => chunk({ tool_calls }));
	const end = chunk({}, { finish_reason: 'tool_calls' });
	const { json } = await itemOfStream([...deltas, end], { simplify: false });
	expect((json.choices as IDataObject[])[0]?.message).toEqual({
		role: 'assistant',
		content: null,
		tool_calls: [...toolCalls, { id: 'call-2', function: { name: 'time', arguments: '{}' } }],
	});
});

test.each([[{ note: 1 }], ['none'], [7], [[null]]])(
	'streamed tool calls are not lost for a later %j in their place',
	async (tool_calls) => {
		const calls = toolCalls.map((call) => ({ index: 0, ...call }));
		const chunks = [chunk({ tool_calls: calls }), chunk({ tool_calls })];
		const { json } = await itemOfStream([...chunks, chunk({}, { finish_reason: 'tool_calls' })]);
		expect(json.tool_calls).toEqual(toolCalls);
	},
);

test.each([
	['', '{}'],
	['{}', 'null'],
])('a call that is sent again with arguments %j and %j is one call', async (first, again) => {
	const call = (text: string) => ({ ...toolCalls[0]!, function: { name: 'now', arguments: text } });
	const message = choice(null, { tool_calls: [call(first), call(again)] });
	expect((await itemOf(completion({ choices: [message] }))).json.tool_calls).toHaveLength(1);
	const pieces = [call(first), call(again)].map((one, index) => ({ index, ...one }));
	const chunks = [chunk({ tool_calls: pieces }), chunk({}, { finish_reason: 'tool_calls' })];
	expect((await itemOfStream(chunks)).json.tool_calls).toHaveLength(1);
});

test('an index or an ID that is no text and no number counts as missing', async () => {
	const odd = { toString: 1 };
	const tool_calls = toolCalls.map((call) => ({ ...call, index: odd, id: odd }));
	const part = { ...chunk({ content: 'Good day', tool_calls }, { index: odd }), id: odd };
	const chunks = [part, chunk({}, { finish_reason: 'stop' })];
	const { json } = await itemOfStream(chunks.map((one) => ({ ...one, created: odd })));
	expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop', id: 'chat-1' });
	const whole = choice('Good day', { tool_calls });
	expect((await itemOf(completion({ id: odd, choices: [whole] }))).json.text).toBe('Good day');
});

test('of a streamed role, type or name that changes, the last one counts', async () => {
	const part = (role: string, type: string, name: string, text: string) => {
		const call = { index: 0, id: 'call-1', type, function: { name, arguments: text } };
		return chunk({ role, tool_calls: [call] });
	};
	const parts = [
		part('model', 'tool', 'wea', '{}'),
		part('assistant', 'function', 'weather', ''),
		chunk({}, { finish_reason: 'tool_calls' }),
	];
	const { json } = await itemOfStream(parts, { simplify: false });
	const called = { name: 'weather', arguments: '{}' };
	expect(json.choices).toMatchObject([
		{ message: { role: 'assistant', tool_calls: [{ type: 'function', function: called }] } },
	]);
});
