import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { z } from 'zod';
import { startSimulator, type Simulator } from '../../simulator';
import { CHAT, exchange, jsonOf, keyOf, post, question, type Seen } from './client';

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

function eventsOf(seen: Seen): string[] {
	return seen.body
		.toString()
		.trimEnd()
		.split('\n\n')
		.map((line) => line.replace('data: ', ''));
}

describe('a chat with the simulator', () => {
	let simulator: Simulator;

	beforeAll(async () => {
		simulator = await startSimulator();
	});
	afterAll(() => simulator.close());

	const ask = async (change: object = {}) =>
		completion.parse(jsonOf(await post(simulator, CHAT, { ...question, ...change })));

	it('answers the same to the same question, and refers to it', async () => {
		const [first, second] = [await ask(), await ask()];
		expect(first.choices).toEqual(second.choices);
		expect(first.choices[0].message.content).toContain('crème brûlée ☕');
		expect(first.id).not.toBe(second.id);
	});

	it('stops at max_tokens and says length', async () => {
		const { choices, usage } = await ask({ max_tokens: 3 });
		expect(choices[0].message.content.split(' ')).toHaveLength(3);
		expect(choices[0].finish_reason).toBe('length');
		expect(usage.completion_tokens).toBe(3);
		expect(usage.total_tokens).toBe(usage.prompt_tokens + 3);
	});

	it('ends before a stop sequence', async () => {
		const whole = (await ask()).choices[0].message.content;
		const [begin = ''] = whole.split('crème');
		const { choices } = await ask({ stop: ['nowhere', 'crème'] });
		expect(choices[0]).toMatchObject({ message: { content: begin }, finish_reason: 'stop' });
	});

	it('says as many words as asked', async () => {
		const { choices } = await ask({ messages: [{ role: 'user', content: 'Hi [words:500]' }] });
		expect(choices[0].message.content.split(' ')).toHaveLength(500);
	});

	it('streams one event line per word, a reason at the end, then [DONE]', async () => {
		const seen = await post(simulator, CHAT, { ...question, stream: true });
		expect(seen.headers['content-type']).toContain('text/event-stream');
		const events = eventsOf(seen);
		expect(events.pop()).toBe('[DONE]');
		const choices = events.map((event) => chunk.parse(JSON.parse(event)).choices[0]);
		expect(choices.map((choice) => choice?.delta.content ?? '').join('')).toBe(
			(await ask()).choices[0].message.content,
		);
		expect(choices.pop()?.finish_reason).toBe('stop');
		expect(choices.every((choice) => choice?.finish_reason === null)).toBe(true);
	});

	it.each(['gzip', 'deflate', 'br'] as const)(
		'answers in %s where it is accepted',
		async (name) => {
			for (const body of [question, { ...question, stream: true }]) {
				const seen = await exchange(`${simulator.url}${CHAT}`, {
					method: 'POST',
					headers: {
						...keyOf(simulator),
						'content-type': 'application/json',
						'accept-encoding': `${name}, other;q=0.1`,
					},
					body,
				});
				expect(seen.headers['content-encoding']).toBe(name);
				expect(decoders[name](seen.body).toString()).toContain('heron-chat');
			}
		},
	);

	it('notes what it received', async () => {
		simulator.reset();
		await ask();
		await post(simulator, CHAT, { ...question, stream: true });
		expect(simulator.count('chat')).toBe(1);
		expect(simulator.count('chatStream')).toBe(1);
		expect(simulator.requests[0]).toMatchObject({
			endpoint: 'chat',
			method: 'POST',
			path: CHAT,
			body: question,
			headers: { authorization: `Bearer ${simulator.key}` },
		});
	});

	it('remembers no more requests than it was told to', async () => {
		const forgetful = await startSimulator({ requestsKept: 2 });
		for (const model of ['a', 'b', 'c']) await post(forgetful, CHAT, { model });
		expect(forgetful.requests.map(({ body }) => body)).toEqual([{ model: 'b' }, { model: 'c' }]);
		expect(forgetful.count('chat')).toBe(3);
		await forgetful.close();
	});
});
