import OpenAI from 'openai';
import type {
	ChatCompletionMessageParam,
	ChatCompletionTool,
	ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import { type Simulator, startSimulator } from '../../simulator';
import { CHAT, jsonOf, post, question } from './client';

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

async function callsOf(...given: Parameters<typeof ask>): Promise<Array<[string, unknown]>> {
	const completion = await ask(...given);
	return (completion.choices[0]?.message.tool_calls ?? []).map((call) => {
		if (call.type !== 'function') throw new Error('The model called something else');
		return [call.function.name, JSON.parse(call.function.arguments)];
	});
}

test('a tool is called by its name in plain words, with something that fits each parameter', async () => {
	const said = 'Please make a video of a fox in the snow.';
	expect(await callsOf(said, [weather, makeVideo])).toEqual([
		['Make_a_Video', { prompt: said, size: '480p', duration: 2, download: false }],
	]);
});

test('an order gives the arguments, brackets and all, and may call several tools', async () => {
	const order =
		'[call:weather {"city": "Rome", "days": [1, {"two": "]"}]}] and [call:weather {"city": "Oslo"}]';
	expect(await callsOf(order, [weather])).toEqual([
		['weather', { city: 'Rome', days: [1, { two: ']' }] }],
		['weather', { city: 'Oslo' }],
	]);
});

test('a call has no content, a finish reason of its own, and is counted', async () => {
	const { choices, usage } = await ask('[call:weather]', [weather]);
	expect(choices).toMatchObject([{ finish_reason: 'tool_calls', message: { content: null } }]);
	expect(usage?.completion_tokens).toBeGreaterThan(0);
});

test.each<[string, string, ChatCompletionToolChoiceOption | undefined, string[]]>([
	['nothing that was not offered', '[call:time] what is the time', undefined, []],
	['nothing where a name is only a part of a word', 'weathered stone', undefined, []],
	['nothing that was forbidden', '[call:weather]', 'none', []],
	['what is required', 'Hello', 'required', ['weather']],
	[
		'what is chosen',
		'Hello',
		{ type: 'function', function: { name: 'Make_a_Video' } },
		['Make_a_Video'],
	],
])('the model calls %s', async (_what, said, choice, names) => {
	expect((await callsOf(said, [weather, makeVideo], choice)).map(([name]) => name)).toEqual(names);
});

test('a streamed call comes in pieces, and is the same call', async () => {
	const stream = openai.chat.completions.stream({
		model: 'heron-chat',
		messages: [{ role: 'user', content: '[call:weather {"city": "Rome"}] [call:weather]' }],
		tools: [weather],
	});
	let pieces = 0;
	for await (const { choices } of stream) pieces += choices[0]?.delta.tool_calls?.length ?? 0;
	expect(pieces).toBeGreaterThan(2);
	const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]!;
	expect(finish_reason).toBe('tool_calls');
	expect(message.tool_calls).toMatchObject([
		{ function: { name: 'weather', arguments: '{"city": "Rome"}' } },
		{ function: { name: 'weather', arguments: '{}' } },
	]);
});

test('the model reads the results of its calls and calls nothing again', async () => {
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

test('the model reads results also where each call is a message of its own', async () => {
	const messages = ['Rome', 'Oslo'].flatMap((city) => [
		{ role: 'assistant', content: null, tool_calls: [{ id: city }] },
		{ role: 'tool', tool_call_id: city, content: `The sun shines in ${city}` },
	]);
	const seen = await post(simulator, CHAT, {
		...question,
		messages: [...question.messages, ...messages],
	});
	expect(seen.body.toString()).toMatch(/sun shines in Rome.*sun shines in Oslo/);
});

test('the final answer is a call of the tool that the system message of an agent wants it in', async () => {
	const format = tool('format_final_json_response', { city: { type: 'string' } });
	const system = {
		role: 'system' as const,
		content:
			'IMPORTANT: For your response to user, you MUST use the `format_final_json_response` tool with your complete answer.',
	};
	const next = async (messages: ChatCompletionMessageParam[]) => {
		const tools = [weather, format];
		const given = [system, ...messages];
		const { choices } = await openai.chat.completions.create({
			model: 'heron-chat',
			messages: given,
			tools,
		});
		const { message } = choices[0]!;
		const [made] = message.tool_calls ?? [];
		const name = made?.type === 'function' ? made.function.name : undefined;
		const result = { role: 'tool' as const, tool_call_id: made?.id ?? '', content: 'Done' };
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
	['a result of no call', [result], 'messages[0].tool_call_id'],
	['a result before its call', [result, call], 'messages[0].tool_call_id'],
	[
		'a result that names no call',
		[call, { ...result, tool_call_id: undefined }],
		'messages[1].role',
	],
	['a call without calls', [{ ...call, tool_calls: [] }], 'messages[0].content'],
	["a user's message without content", [{ ...call, role: 'user' }], 'messages[0].content'],
])('%s is refused', async (_what, messages, parameter) => {
	const seen = await post(simulator, CHAT, { ...question, messages });
	expect(seen.status).toBe(400);
	expect(jsonOf(seen)).toMatchObject({
		error: { message: expect.stringContaining(parameter) as string },
	});
});

test.each([
	['tool-name-repeated', [{ name: 'weather' }, { name: 'weather' }, { name: 'weather' }]],
	['tool-id-emptied', [{ id: expect.stringMatching(/^call-/) }, { id: '' }, { id: '' }]],
])('%s: what each delta of a streamed call carries', async (fault, expected) => {
	const { body } = await post(simulator, CHAT, {
		...question,
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
