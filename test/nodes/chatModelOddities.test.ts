import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as zod4 from 'zod';
import { z as zod3 } from 'zod/v3';
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
		expect(error?.description).toMatch(/increase Max Tokens/);
	});

	test('and calls something without a name: the error shows what came', async () => {
		const { error } = await callsOf([{ type: 'function', plan: 'rain' }], reply[way]);
		expect(error?.message).toMatch(/invalid tool call/);
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

const png = { url: 'data:image/png;base64,iVBORw0KGgo=' };

describe.each<[string, (model: Model, content: unknown) => Promise<unknown>]>([
	['asks once', async (model, content) => await model.invoke([{ role: 'user', content }])],
	[
		'streams',
		async (model, content) => await wholeOf(await model.stream([{ role: 'user', content }])),
	],
	[
		'has tools',
		async (model, content) =>
			await model.bindTools([]).invoke([...asked, { role: 'user', content }]),
	],
])('an agent that %s', (_name, ask) => {
	test.each<[string, object]>([
		['an image of AI Agent', { type: 'image_url', image_url: png }],
		['an image', { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
		['a PDF of AI Agent', { type: 'file', source_type: 'base64', mime_type: 'application/pdf' }],
		['a recording', { type: 'input_audio', input_audio: {} }],
	])(
		'is refused %s beside a text, before any request, and told what to do',
		async (_what, part) => {
			for (const content of [[part], [{ type: 'text', text: 'What is this?' }, part]]) {
				const { error } = await runAgent(
					simulator,
					work(async (model) => await ask(model, content)),
				);
				expect(error?.message).toMatch(
					/contain an image or a file, but the service accepts text only/,
				);
				expect(error?.description).toContain('Automatically Passthrough Binary Images');
				expect(error).toMatchObject({ node: { name: 'Model' } });
			}
			expect(simulator.requests).toEqual([]);
		},
	);
});

const schemaOf = (zod: typeof zod4) =>
	zod.object({
		city: zod.string().describe('Where'),
		days: zod.number().int().optional(),
		unit: zod.enum(['C', 'F']).default('C'),
		tags: zod.array(zod.string().nullable()),
		more: zod.record(zod.string(), zod.union([zod.boolean(), zod.literal(1)])),
		any: zod.any(),
	});

test.each([
	['3', schemaOf(zod3 as unknown as typeof zod4)],
	['4', schemaOf(zod4)],
])(
	'tools that describe themselves with another copy of zod %s are offered',
	async (_name, schema) => {
		const tool = { name: 'weather', description: 'Tells it', schema, invoke: () => '' };
		const { error } = await runAgent(
			simulator,
			work(async (model) => (await model.bindTools([tool]).invoke(asked)).text),
		);
		expect(error).toBeUndefined();
		const [sent] = bodies()[0]!.tools as Array<{ function: { parameters: object } }>;
		expect(sent?.function.parameters).toMatchObject({
			type: 'object',
			properties: {
				city: { type: 'string', description: 'Where' },
				days: { type: 'integer' },
				unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
				tags: { type: 'array', items: expect.any(Object) as object },
				more: {
					type: 'object',
					additionalProperties: { anyOf: [{ type: 'boolean' }, { const: 1 }] },
				},
				any: {},
			},
			required: expect.arrayContaining(['city', 'tags', 'more']) as string[],
		});
	},
);

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
