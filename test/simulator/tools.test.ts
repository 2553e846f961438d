import OpenAI from 'openai';
import type {
	ChatCompletionMessageParam,
	ChatCompletionTool,
	ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import { type Simulator, startSimulator } from '../../simulator';
import { CHAT, jsonOf, post, chatRequest } from './client';

let simulator: Simulator;
let openai: OpenAI;
beforeAll(async () => {
	simulator = await startSimulator();
	openai = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: simulator.key, maxRetries: 0 });
});
afterAll(async () => await simulator.close());

const tool = (name: string, properties: object = {}): ChatCompletionTool => ({
	type: 'function',
	function: { name, parameters: { type: 'object', properties } },
});
const makeVideo = tool('Make_a_Video', {
	prompt: { type: 'string' },
	size: { enum: ['480p', '720p'] },
	duration: { type: 'number', minimum: 2 },
	download: { type: 'boolean', default: false },
});
const weather = tool('weather', { city: { type: 'string' } });

async function ask(
	content: string,
	tools: ChatCompletionTool[],
	tool_choice?: ChatCompletionToolChoiceOption,
) {
	const messages: ChatCompletionMessageParam[] = [{ role: 'user', content }];
	const completion = await openai.chat.completions.create({
		model: 'heron-chat',
		messages,
		tools,
		...(tool_choice && { tool_choice }),
	});
	return completion;
}

async function callsOf(...args: Parameters<typeof ask>): Promise<Array<[string, unknown]>> {
	const completion = await ask(...args);
	return (completion.choices[0]?.message.tool_calls ?? []).map((call) => {
		if (call.type !== 'function') throw new Error('The model called something else');
		return [call.function.name, JSON.parse(call.function.arguments)];
	});
}

test('a prompt that contains the name of a tool calls it, with a fitting value for each parameter', async () => {
	const prompt = 'A fox in the snow.';
	for (const asked of ['Please make a video of a', 'I need a short clip about a']) {
		expect(await callsOf(`${asked} fox in the snow.`, [weather, makeVideo])).toEqual([
			['Make_a_Video', { prompt, size: '480p', duration: 2, download: false }],
		]);
	}
});

test('[call:…] calls tools with the given arguments', async () => {
	const prompt =
		'[call:weather {"city": "Rome", "days": [1, {"two": "]"}]}] and [call:weather {"city": "Oslo"}]';
	expect(await callsOf(prompt, [weather])).toEqual([
		['weather', { city: 'Rome', days: [1, { two: ']' }] }],
		['weather', { city: 'Oslo' }],
	]);
});

test('an answer with tool calls has null content, the finish_reason tool_calls, and usage', async () => {
	const { choices, usage } = await ask('[call:weather]', [weather]);
	expect(choices).toMatchObject([{ finish_reason: 'tool_calls', message: { content: null } }]);
	expect(usage?.completion_tokens).toBeGreaterThan(0);
});

test.each<[string, string, ChatCompletionToolChoiceOption | undefined, string[]]>([
	['no tool that was not sent', '[call:time] what is the time', undefined, []],
	['no tool whose name is only part of a word', 'weathered stone', undefined, []],
	['no tool for half of its words', 'Describe a video', undefined, []],
	['no tool with tool_choice none', '[call:weather]', 'none', []],
	['a tool with tool_choice required', 'Hello', 'required', ['weather']],
	[
		'the tool in tool_choice',
		'Hello',
		{ type: 'function', function: { name: 'Make_a_Video' } },
		['Make_a_Video'],
	],
])('the model calls %s', async (_what, prompt, choice, names) => {
	expect((await callsOf(prompt, [weather, makeVideo], choice)).map(([name]) => name)).toEqual(
		names,
	);
});

test('a tool call is streamed in parts', async () => {
	const stream = openai.chat.completions.stream({
		model: 'heron-chat',
		messages: [{ role: 'user', content: '[call:weather {"city": "Rome"}] [call:weather]' }],
		tools: [weather],
	});
	let parts = 0;
	for await (const { choices } of stream) parts += choices[0]?.delta.tool_calls?.length ?? 0;
	expect(parts).toBeGreaterThan(2);
	const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]!;
	expect(finish_reason).toBe('tool_calls');
	expect(message.tool_calls).toMatchObject([
		{ function: { name: 'weather', arguments: '{"city": "Rome"}' } },
		{ function: { name: 'weather', arguments: '{}' } },
	]);
});

test('the model answers with the tool results and calls no tool again', async () => {
	const first = await ask('[call:weather {"city": "Rome"}] [call:weather]', [weather]);
	const { message } = first.choices[0]!;
	const results = (message.tool_calls ?? []).map(({ id }, index) => ({
		role: 'tool' as const,
		tool_call_id: id,
		content: `${20 + index} degrees`,
	}));
	const second = await openai.chat.completions.create({
		model: 'heron-chat',
		messages: [{ role: 'user', content: '[call:weather]' }, message, ...results],
		tools: [weather],
	});
	expect(second.choices[0]?.finish_reason).toBe('stop');
	expect(second.choices[0]?.message.content).toMatch(/20 degrees.*21 degrees/s);
});

test('the model reads tool results also if each call has its own message', async () => {
	const messages = ['Rome', 'Oslo'].flatMap((city) => [
		{ role: 'assistant', content: null, tool_calls: [{ id: city }] },
		{ role: 'tool', tool_call_id: city, content: `The sun shines in ${city}` },
	]);
	const response = await post(simulator, CHAT, {
		...chatRequest,
		messages: [...chatRequest.messages, ...messages],
	});
	expect(response.body.toString()).toMatch(/sun shines in Rome.*sun shines in Oslo/);
});

test('the final answer is a call of the tool that the system message of an agent requires', async () => {
	const format = tool('format_final_json_response', { city: { type: 'string' } });
	const system = {
		role: 'system' as const,
		content:
			'IMPORTANT: For your response to user, you MUST use the `format_final_json_response` tool with your complete answer.',
	};
	const next = async (messages: ChatCompletionMessageParam[]) => {
		const tools = [weather, format];
		const withSystem = [system, ...messages];
		const { choices } = await openai.chat.completions.create({
			model: 'heron-chat',
			messages: withSystem,
			tools,
		});
		const { message } = choices[0]!;
		const [toolCall] = message.tool_calls ?? [];
		const name = toolCall?.type === 'function' ? toolCall.function.name : undefined;
		const result = { role: 'tool' as const, tool_call_id: toolCall?.id ?? '', content: 'Done' };
		return { name, messages: [...messages, message, result] };
	};
	const plain = await next([{ role: 'user', content: 'Oslo' }]);
	expect(plain.name).toBe('format_final_json_response');

	const first = await next([{ role: 'user', content: 'What is the weather?' }]);
	expect(first.name).toBe('weather');
	const second = await next(first.messages);
	expect(second.name).toBe('format_final_json_response');
	expect((await next(second.messages)).name).toBeUndefined();
});

const call = { role: 'assistant', content: null, tool_calls: [{ id: 'call-1' }] };
const result = { role: 'tool', tool_call_id: 'call-1', content: '20 degrees' };

test.each([
	['a result without a call', [result], 'messages[0].tool_call_id'],
	['a result before its call', [result, call], 'messages[0].tool_call_id'],
	[
		'a result without a tool_call_id',
		[call, { ...result, tool_call_id: undefined }],
		'messages[1].role',
	],
	['an empty list of calls', [{ ...call, tool_calls: [] }], 'messages[0].content'],
	["a user's message without content", [{ ...call, role: 'user' }], 'messages[0].content'],
])('%s is refused', async (_what, messages, parameter) => {
	const response = await post(simulator, CHAT, { ...chatRequest, messages });
	expect(response.status).toBe(400);
	expect(jsonOf(response)).toMatchObject({
		error: { message: expect.stringContaining(parameter) as string },
	});
});

test.each([
	['tool-name-repeated', [{ name: 'weather' }, { name: 'weather' }, { name: 'weather' }]],
	['tool-id-emptied', [{ id: expect.stringMatching(/^call-/) }, { id: '' }, { id: '' }]],
])('%s: the deltas of a streamed tool call', async (fault, expected) => {
	const { body } = await post(simulator, CHAT, {
		...chatRequest,
		model: `fault-${fault}`,
		messages: [{ role: 'user', content: '[call:weather {"city": "Rome"}]' }],
		tools: [weather],
		stream: true,
	});
	const deltas = body
		.toString()
		.split('\n\n')
		.filter((text) => text.includes('"tool_calls":'))
		.map((text) => JSON.parse(text.slice('data: '.length)).choices[0].delta.tool_calls[0]);
	expect(deltas.map(({ id, function: { name } }) => ({ id, name }))).toMatchObject(expected);
	expect(deltas.map((delta) => delta.function.arguments).join('')).toBe('{"city": "Rome"}');
});
