import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Simulator, startSimulator } from '../../simulator';
import { type Model, type Reply, runAgent } from '../engine/runAgent';
import { until } from '../engine/virtualTime';

let simulator: Simulator;
let server: Server;
/** What the other service answers to every question, streamed or not. */
let calls: unknown[];
let finishReason: string;
beforeAll(async () => {
	simulator = await startSimulator();
	server = createServer((request, response) => {
		const bytes: Buffer[] = [];
		request.on('data', (piece: Buffer) => bytes.push(piece));
		request.on('end', () => {
			const { stream } = JSON.parse(Buffer.concat(bytes).toString()) as { stream?: boolean };
			const fields = { role: 'assistant', content: null, tool_calls: calls };
			const part = stream ? { delta: fields } : { message: fields };
			const body = JSON.stringify({
				choices: [{ index: 0, finish_reason: finishReason, ...part }],
			});
			response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
			response.end(stream ? `data: ${body}\n\ndata: [DONE]\n\n` : body);
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
});
beforeEach(() => {
	simulator.reset();
	finishReason = 'tool_calls';
});
afterAll(async () => {
	server.closeAllConnections();
	server.close();
	await simulator.close();
});

const asked = [['user', 'Hello']];

async function wholeOf(stream: AsyncIterable<Reply & { concat(next: Reply): Reply }>) {
	let whole: Reply | undefined;
	for await (const chunk of stream) {
		whole = whole === undefined ? chunk : (whole as typeof chunk).concat(chunk);
	}
	return whole!;
}

const reply = {
	once: async (model: Model) => await model.invoke(asked),
	streamed: async (model: Model) => await wholeOf(await model.stream(asked)),
};

/** What the agent is told of the calls that the other service makes. */
async function callsOf(given: unknown[], ask: (model: Model) => Promise<Reply>) {
	calls = given;
	const { port } = server.address() as AddressInfo;
	return await runAgent(
		{ url: `http://127.0.0.1:${port}`, key: 'key' },
		{ work: async ({ model }) => (await ask(model)).tool_calls },
	);
}

const call = (name: string, given: unknown, more: object = {}) => ({
	...more,
	type: 'function',
	function: { name, arguments: given },
});

describe.each(['once', 'streamed'] as const)('a service that answers %s', (way) => {
	test('and gives its calls no ids: each is a call of its own', async () => {
		const { result, error } = await callsOf(
			[call('weather', '{"city":"Rome"}'), call('weather', '{"city":"Oslo"}', { id: null })],
			reply[way],
		);
		expect(error).toBeUndefined();
		const found = result as NonNullable<Reply['tool_calls']>;
		expect(found).toMatchObject([{ args: { city: 'Rome' } }, { args: { city: 'Oslo' } }]);
		expect(new Set(found.map(({ id }) => id))).not.toContain(undefined);
		expect(new Set(found.map(({ id }) => id)).size).toBe(2);
	});

	test('and sends arguments as an object, or none: the tool gets them', async () => {
		const { result } = await callsOf(
			[call('weather', { city: 'Rome' }, { id: 'a' }), call('time', '', { id: 'b' })],
			reply[way],
		);
		expect(result).toMatchObject([
			{ id: 'a', name: 'weather', args: { city: 'Rome' } },
			{ id: 'b', name: 'time', args: {} },
		]);
	});

	test('and is cut off in the middle of a call: no tool is called, and the error says why', async () => {
		finishReason = 'length';
		const { result, error } = await callsOf([call('weather', '{"city":"Ro')], reply[way]);
		expect(result).toBeUndefined();
		expect(error?.message).toMatch(/called the tool weather with arguments that are not JSON/);
		expect(error?.description).toMatch(/raise Max Tokens/);
	});

	test('and calls something without a name: the error shows what came', async () => {
		const { error } = await callsOf([{ type: 'function', plan: 'rain' }], reply[way]);
		expect(error?.message).toMatch(/in a way nobody can follow/);
		expect(error?.description).toContain('rain');
	});
});

const work = (does: (model: Model) => Promise<unknown>) =>
	({ work: async ({ model }: { model: Model }) => await does(model) }) as const;
const bodies = () => simulator.requests.map(({ body }) => body as Record<string, unknown>);

test('a chain adds the sequences that it stops at to those of the node', async () => {
	await runAgent(simulator, {
		...work(async (model) => (await model.invoke(asked, { stop: ['Observation:'] })).text),
		model: { options: { stop: ['END'] } },
	});
	expect(bodies()).toMatchObject([{ stop: ['END', 'Observation:'] }]);
});

test('the parts of a prompt do not run together', async () => {
	const parts = ['Sum up:', 'A long text'].map((text) => ({ type: 'text', text }));
	await runAgent(
		simulator,
		work(async (model) => (await model.invoke([{ role: 'user', content: parts }])).text),
	);
	expect(bodies()).toMatchObject([{ messages: [{ content: 'Sum up:\n\nA long text' }] }]);
});

test('an image is refused in plain words, before any request', async () => {
	const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };
	const { error } = await runAgent(
		simulator,
		work(async (model) => (await model.invoke([{ role: 'user', content: [image] }])).text),
	);
	expect(error?.message).toMatch(/contain an image or a file/);
	expect(simulator.requests).toEqual([]);
});

test('who asks can give up, and the connection is closed', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'hang' });
	const patience = new AbortController();
	const { error } = await runAgent(
		simulator,
		work(async (model) => {
			const answer = model.invoke(asked, { signal: patience.signal });
			await until(() => simulator.count('chat') > 0);
			patience.abort();
			return (await answer).text;
		}),
	);
	expect(error).toBeDefined();
	await until(() => simulator.openSockets === 0);
	expect(simulator.count('chat')).toBe(1);
});

test('who stops reading a streamed answer ends it', async () => {
	simulator.inject({ endpoint: 'chatStream', fault: 'stream-endless' });
	const { result } = await runAgent(
		simulator,
		work(async (model) => {
			let read = 0;
			for await (const { text } of await model.stream(asked)) {
				read += text.length;
				if (read > 100) return 'enough';
			}
			return 'all';
		}),
	);
	expect(result).toBe('enough');
	await until(() => simulator.openSockets === 0);
});

test('an error of a call is shown as it is, with its advice', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'quota-not-enough' });
	const { error } = await runAgent(simulator, {
		...work(async (model) => (await model.invoke(asked)).text),
	});
	expect(error).toMatchObject({
		message: expect.stringMatching(/^The account has no quota left/) as string,
		description: expect.stringMatching(/^Top up the balance/) as string,
		node: { name: 'Model' },
	});
});
