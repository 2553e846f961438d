import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { z } from 'zod';
import { startSimulator, type Simulator } from '../../simulator';
import { CHAT, exchange, jsonOf, authorization, post, chatRequest, type Received } from './client';

const completion = z.strictObject({
	id: z.string(),
	object: z.literal('chat.completion'),
	created: z.int(),
	model: z.string(),
	choices: z.tuple([
		z.strictObject({
			index: z.literal(0),
			message: z.strictObject({ role: z.literal('assistant'), content: z.string() }),
			finish_reason: z.enum(['stop', 'length']),
		}),
	]),
	usage: z.strictObject({
		prompt_tokens: z.int(),
		completion_tokens: z.int(),
		total_tokens: z.int(),
	}),
});
const chunk = z.object({
	object: z.literal('chat.completion.chunk'),
	choices: z.array(
		z.object({
			delta: z.object({ content: z.string().optional() }),
			finish_reason: z.string().nullable(),
		}),
	),
});

const decoders = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync } as const;

function eventsOf(response: Received): string[] {
	return response.body
		.toString()
		.trimEnd()
		.split('\n\n')
		.map((line) => line.replace('data: ', ''));
}

describe('the chat endpoint of the simulator', () => {
	let simulator: Simulator;

	beforeAll(async () => {
		simulator = await startSimulator();
	});
	afterAll(() => simulator.close());

	const ask = async (change: object = {}) =>
		completion.parse(jsonOf(await post(simulator, CHAT, { ...chatRequest, ...change })));

	it('gives the same answer to the same prompt, and repeats the prompt', async () => {
		const [first, second] = [await ask(), await ask()];
		expect(first.choices).toEqual(second.choices);
		expect(first.choices[0].message.content).toContain('crème brûlée ☕');
		expect(first.id).not.toBe(second.id);
	});

	it('stops at max_tokens with finish_reason length', async () => {
		const { choices, usage } = await ask({ max_tokens: 3 });
		expect(choices[0].message.content.split(' ')).toHaveLength(3);
		expect(choices[0].finish_reason).toBe('length');
		expect(usage.completion_tokens).toBe(3);
		expect(usage.total_tokens).toBe(usage.prompt_tokens + 3);
	});

	it('stops before a stop sequence', async () => {
		const full = (await ask()).choices[0].message.content;
		const [start = ''] = full.split('crème');
		const { choices } = await ask({ stop: ['nowhere', 'crème'] });
		expect(choices[0]).toMatchObject({ message: { content: start }, finish_reason: 'stop' });
	});

	it('answers with the number of words in [words:n]', async () => {
		const { choices } = await ask({ messages: [{ role: 'user', content: 'Hi [words:500]' }] });
		expect(choices[0].message.content.split(' ')).toHaveLength(500);
	});

	it('streams one event per word, then the finish_reason, then [DONE]', async () => {
		const response = await post(simulator, CHAT, { ...chatRequest, stream: true });
		expect(response.headers['content-type']).toContain('text/event-stream');
		const events = eventsOf(response);
		expect(events.pop()).toBe('[DONE]');
		const choices = events.map((event) => chunk.parse(JSON.parse(event)).choices[0]);
		expect(choices.map((choice) => choice?.delta.content ?? '').join('')).toBe(
			(await ask()).choices[0].message.content,
		);
		expect(choices.pop()?.finish_reason).toBe('stop');
		expect(choices.every((choice) => choice?.finish_reason === null)).toBe(true);
	});

	it.each(['gzip', 'deflate', 'br'] as const)(
		'compresses with %s if the client accepts it',
		async (name) => {
			for (const body of [chatRequest, { ...chatRequest, stream: true }]) {
				const response = await exchange(`${simulator.url}${CHAT}`, {
					method: 'POST',
					headers: {
						...authorization(simulator),
						'content-type': 'application/json',
						'accept-encoding': `${name}, other;q=0.1`,
					},
					body,
				});
				expect(response.headers['content-encoding']).toBe(name);
				expect(decoders[name](response.body).toString()).toContain('heron-chat');
			}
		},
	);

	it('records requests', async () => {
		simulator.reset();
		await ask();
		await post(simulator, CHAT, { ...chatRequest, stream: true });
		expect(simulator.count('chat')).toBe(1);
		expect(simulator.count('chatStream')).toBe(1);
		expect(simulator.requests[0]).toMatchObject({
			endpoint: 'chat',
			method: 'POST',
			path: CHAT,
			body: chatRequest,
			headers: { authorization: `Bearer ${simulator.key}` },
		});
	});

	it('keeps at most requestsKept requests', async () => {
		const limited = await startSimulator({ requestsKept: 2 });
		for (const model of ['a', 'b', 'c']) await post(limited, CHAT, { model });
		expect(limited.requests.map(({ body }) => body)).toEqual([{ model: 'b' }, { model: 'c' }]);
		expect(limited.count('chat')).toBe(3);
		await limited.close();
	});
});
