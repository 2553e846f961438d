import OpenAI from 'openai';
import { CATALOGUE } from '../../simulator';
import { useSimulator } from '../engine/useServers';

const messages = [{ role: 'user' as const, content: 'How do herons fish?' }];

describe('the official openai package with the simulator', () => {
	const simulator = useSimulator();
	let openai: OpenAI;

	beforeAll(() => {
		const baseURL = `${simulator.url}/v1`;
		openai = new OpenAI({ baseURL, apiKey: simulator.key, maxRetries: 0 });
	});

	it('gets a chat completion, and streams the same text, with usage if requested', async () => {
		const full = await openai.chat.completions.create({ model: 'heron-chat', messages });
		const stream = await openai.chat.completions.create({
			model: 'heron-chat',
			messages,
			stream: true,
			stream_options: { include_usage: true },
		});
		let text = '';
		let reason: string | null = null;
		let usage: unknown;
		for await (const chunk of stream) {
			text += chunk.choices[0]?.delta.content ?? '';
			reason = chunk.choices[0]?.finish_reason ?? reason;
			usage = chunk.usage ?? usage;
		}
		expect(text).toContain('How do herons fish?');
		expect(text).toBe(full.choices[0]?.message.content);
		expect(usage).toMatchObject({ total_tokens: expect.any(Number) });
		expect(reason).toBe('stop');
		expect(usage).toEqual(full.usage);
	});

	it('gets tool calls in parts, and an answer to their results', async () => {
		const tools = [{ type: 'function' as const, function: { name: 'weather' } }];
		const asked = [
			{ role: 'user' as const, content: '[call:weather {"city": "Rome"}] [call:weather]' },
		];
		const stream = openai.chat.completions.stream({ model: 'heron-chat', messages: asked, tools });
		let parts = 0;
		for await (const { choices } of stream) parts += choices[0]?.delta.tool_calls?.length ?? 0;
		expect(parts).toBeGreaterThan(2);
		const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]!;
		expect(finish_reason).toBe('tool_calls');
		expect(message.tool_calls).toMatchObject([
			{ function: { name: 'weather', arguments: '{"city": "Rome"}' } },
			{ function: { name: 'weather', arguments: '{}' } },
		]);
		const results = (message.tool_calls ?? []).map(({ id }, index) => ({
			role: 'tool' as const,
			tool_call_id: id,
			content: `${20 + index} degrees`,
		}));
		const answered = [...asked, message, ...results];
		const second = await openai.chat.completions.create({
			model: 'heron-chat',
			messages: answered,
			tools,
		});
		expect(second.choices[0]?.finish_reason).toBe('stop');
		expect(second.choices[0]?.message.content).toMatch(/20 degrees.*21 degrees/s);
	});

	it('lists the models', async () => {
		const ids: string[] = [];
		for await (const model of openai.models.list()) ids.push(model.id);
		expect(ids).toEqual(CATALOGUE.map(({ id }) => id));
	});

	it.each([
		['a 400', OpenAI.BadRequestError, { temperature: 3 }, 'invalid_request_error'],
		['a 404', OpenAI.NotFoundError, { model: 'no-such-model' }, 'model_not_found'],
		['a 429', OpenAI.RateLimitError, { model: 'fault-rate-limit' }, 'rate_limit_exceeded'],
	])('gets %s', async (_status, type, more, code) => {
		const call = openai.chat.completions.create({ model: 'heron-chat', messages, ...more });
		await expect(call).rejects.toBeInstanceOf(type);
		await expect(call).rejects.toMatchObject({ code });
	});

	it('throws on an error inside a stream', async () => {
		simulator.inject({ endpoint: 'chatStream', fault: 'stream-error-alternate' });
		const request = { model: 'heron-chat', messages, stream: true } as const;
		const stream = await openai.chat.completions.create(request);
		const read = async () => {
			for await (const chunk of stream) expect(chunk.choices).toHaveLength(1);
		};
		await expect(read()).rejects.toThrow('The model went away.');
	});
});
