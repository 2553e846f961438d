import { createHash } from 'node:crypto';
import {
	ENDPOINTS,
	FAULTS,
	type KnownEndpoint,
	type Simulator,
	startSimulator,
} from '../../simulator';
import {
	CHAT,
	get,
	validRequest,
	jsonOf,
	post,
	chatRequest,
	videoRequest,
	submitVideo,
	VIDEO,
} from './client';
import type { Received } from './client';

/** Faults with a correct response that only arrives in an unusual way. */
const harmless = [
	'slow-response',
	'slow-drip',
	'close-after',
	'stream-split',
	'stream-joined',
	'stream-slow',
	// These change tool calls only.
	'tool-name-repeated',
	'tool-id-emptied',
];
const silent = ['hang', 'hang-inside', 'stream-hang'];

/** A response without the parts that differ in each response. */
function outcome({ status, headers, body, ending }: Received): string {
	const { date: _date, connection: _connection, 'keep-alive': _keep, ...stableHeaders } = headers;
	const text = ending === 'too large' ? '' : body.toString('latin1');
	const plain = text.replace(/(chatcmpl|video|task)-[0-9a-f]+|"created":\d+/g, '');
	const digest = createHash('sha256').update(plain).digest('hex');
	const length = {
		'content-length': stableHeaders['content-length'] === undefined ? 'none' : 'some',
	};
	return JSON.stringify({ status, ending, digest, ...stableHeaders, ...length });
}

describe('the fault table', () => {
	let simulator: Simulator;
	let task: string;
	const healthy = new Map<KnownEndpoint, string>();

	beforeAll(async () => {
		// The clock advances by a second each time it is read, so delayed responses arrive soon.
		let now = Date.now();
		simulator = await startSimulator({
			videoSeconds: 0,
			slowMs: 1,
			oversizedBytes: 200_000,
			now: () => (now += 1000),
		});
		task = await submitVideo(simulator);
		for (const endpoint of ENDPOINTS) {
			healthy.set(endpoint, outcome(await validRequest(simulator, endpoint, task)));
		}
	});
	afterAll(() => simulator.close());

	const names = FAULTS.map(({ name }) => name);

	it('has unique and unambiguous names', () => {
		expect(new Set(names).size).toBe(names.length);
		for (const name of names) {
			expect(name).toMatch(/^(?!poll-|download-)[a-z0-9]+(-[a-z0-9]+)*(?<!-once|-twice)$/);
		}
	});

	const cases = FAULTS.filter(({ effect }) => effect.kind !== 'task').flatMap(
		({ name, endpoints }) =>
			endpoints.flatMap((endpoint) => (endpoint === 'other' ? [] : [[name, endpoint] as const])),
	);

	it.each(cases)(
		'%s on %s affects one response, and the next is healthy',
		async (fault, endpoint) => {
			simulator.inject({ endpoint, fault, times: 1 });
			const more = silent.includes(fault) ? { timeoutMs: 100 } : {};
			const faulty = outcome(await validRequest(simulator, endpoint, task, more));
			if (!harmless.includes(fault)) expect(faulty).not.toBe(healthy.get(endpoint));
			expect(outcome(await validRequest(simulator, endpoint, task))).toBe(healthy.get(endpoint));
		},
	);

	it.each(harmless)('%s sends the complete answer', async (fault) => {
		simulator.inject({ endpoint: 'chatStream', fault, times: 1 });
		const text = ({ body }: Received) => body.toString().replace(/chatcmpl-\w+|"created":\d+/g, '');
		const response = await validRequest(simulator, 'chatStream', task);
		expect(text(response)).toBe(text(await validRequest(simulator, 'chatStream', task)));
	});
});

describe('a fault can be requested', () => {
	let simulator: Simulator;
	let now: number;

	beforeEach(async () => {
		now = Date.UTC(2025, 5, 1);
		simulator = await startSimulator({ videoSeconds: 10, now: () => now });
	});
	afterEach(() => simulator.close());

	const chat = async (change: object) =>
		(await post(simulator, CHAT, { ...chatRequest, ...change })).status;
	const saying = (content: string) => ({ messages: [{ role: 'user', content }] });

	it('by a model name', async () => {
		expect(await chat({ model: 'fault-unavailable' })).toBe(503);
		expect(
			(await post(simulator, VIDEO, { ...videoRequest, model: 'fault-bad-gateway' })).status,
		).toBe(502);
	});

	it('by a tag in a message or a prompt', async () => {
		expect(await chat(saying('Hello [fault:quota-not-enough]'))).toBe(403);
		const prompt = 'A [fault:content-filtered] fox';
		expect((await post(simulator, VIDEO, { ...videoRequest, prompt })).status).toBe(400);
	});

	it('once or twice, and again a minute later', async () => {
		const once = { model: 'fault-rate-limit-once' };
		expect([await chat(once), await chat(once), await chat(once)]).toEqual([429, 200, 200]);
		const twice = saying('[fault:internal-error-twice]');
		expect([await chat(twice), await chat(twice), await chat(twice)]).toEqual([500, 500, 200]);
		now += 60_000;
		expect([await chat(once), await chat(once)]).toEqual([429, 200]);
	});

	it('for the polls and the download of a task', async () => {
		const prompt = 'A fox [fault:poll-internal-error-twice] [fault:download-empty-404-once]';
		const id = await submitVideo(simulator, { ...videoRequest, prompt });
		now += 10_000;
		const poll = async () => (await validRequest(simulator, 'poll', id)).status;
		expect([await poll(), await poll(), await poll()]).toEqual([500, 500, 200]);
		const file = async () => (await validRequest(simulator, 'download', id)).status;
		expect([await file(), await file()]).toEqual([404, 200]);
	});

	it('by injection: after a number of requests, for a number of requests, or for matching requests', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'unavailable', after: 1, times: 1 });
		expect([await chat({}), await chat({}), await chat({})]).toEqual([200, 503, 200]);
		simulator.inject({ endpoint: 'chat', fault: 'unavailable', matching: 'tea' });
		expect([
			await chat(saying('tea')),
			await chat(saying('milk')),
			await chat(saying('tea')),
		]).toEqual([503, 200, 503]);
		simulator.clearFaults();
		expect(await chat(saying('tea'))).toBe(200);
	});

	it('only for an endpoint that has it', () => {
		expect(() => simulator.inject({ endpoint: 'chat', fault: 'models-bare' })).toThrow(
			'models-bare',
		);
		expect(() => simulator.inject({ endpoint: 'chat', fault: 'nothing' })).toThrow('nothing');
	});

	it('and a lost submission counts as accepted, a refused one does not', async () => {
		await post(simulator, VIDEO, { ...videoRequest, prompt: '[fault:reset]' });
		expect(simulator.submissions).toBe(0);
		await post(simulator, VIDEO, { ...videoRequest, prompt: '[fault:lost]' });
		expect(simulator.submissions).toBe(1);
		expect(simulator.count('submit')).toBe(2);
	});

	it('and an error of a proxy after the work counts as accepted, an error of the service does not', async () => {
		for (const fault of ['handled-html-502', 'handled-empty-500', 'handled-foreign-502']) {
			const status = Number(fault.slice(-3));
			expect(
				(await post(simulator, VIDEO, { ...videoRequest, model: `fault-${fault}` })).status,
			).toBe(status);
			expect(await chat({ model: `fault-${fault}` })).toBe(status);
		}
		expect([simulator.submissions, simulator.completions]).toEqual([3, 3]);
		await post(simulator, VIDEO, { ...videoRequest, model: 'fault-html-502' });
		await chat({ model: 'fault-bad-gateway' });
		expect([simulator.submissions, simulator.completions]).toEqual([3, 3]);
	});

	it('late-503: after 11 seconds on the clock of the simulator', async () => {
		const late = post(simulator, VIDEO, { ...videoRequest, model: 'fault-late-503' });
		while (simulator.submissions === 0) await new Promise(setImmediate);
		now += 10_999;
		const first = await Promise.race([late, chat({})]);
		expect(first).toBe(200);
		now += 1;
		expect((await late).status).toBe(503);
	});

	it('not-found-yet: the task is not found for 10 seconds', async () => {
		const id = await submitVideo(simulator, { ...videoRequest, model: 'fault-not-found-yet' });
		const poll = async () => jsonOf(await validRequest(simulator, 'poll', id));
		now += 9_999;
		expect(await poll()).toMatchObject({ code: 'task_not_found' });
		now += 1;
		expect(await poll()).toMatchObject({ id, status: 'completed' });
	});

	it('stream-unrequested: a request without stream gets a stream', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'stream-unrequested', times: 1 });
		const response = await post(simulator, CHAT, chatRequest);
		expect(response.headers['content-type']).toContain('text/event-stream');
		const [event, ...rest] = response.body.toString().split('\n\n');
		const full = jsonOf(await post(simulator, CHAT, chatRequest));
		const content = (from: unknown) =>
			/"content":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(from))?.[1];
		expect(content(JSON.parse(String(event).slice('data: '.length)))).toBe(content(full));
		expect(rest).toEqual([expect.stringContaining('"usage"'), 'data: [DONE]', '']);
	});

	it('echo-key-general: the error contains the key', async () => {
		const response = await post(simulator, CHAT, {
			...chatRequest,
			model: 'fault-echo-key-general',
		});
		expect(jsonOf(response)).toMatchObject({ message: expect.stringContaining(simulator.key) });
	});

	const outcomes: ReadonlyArray<[fault: string, end: object]> = [
		['task-failed-string', { status: 'failed', error: expect.any(String), url: null }],
		['task-failed-object', { status: 'failed', error: { code: 'generation_failed' } }],
		['task-failed-array', { status: 'failed', error: expect.any(Array) }],
		['task-failed-number', { status: 'failed', error: 17 }],
		['task-failed-null', { status: 'failed', error: null }],
		['task-failed-absent', { status: 'failed', completed_at: expect.any(Number) }],
		['task-failed-echo-key', { error: { message: expect.stringContaining('local-key') } }],
		['task-endless', { status: 'processing', progress: 99 }],
		['task-queued', { status: 'queued', progress: 0 }],
		['task-forgotten', { code: 'task_not_found' }],
		['task-url-null', { status: 'completed', url: null }],
		['task-odd-status', { status: 'paused' }],
		['task-odd-progress', { progress: 250 }],
	];

	it.each(outcomes)('%s: the task is accepted and ends with this status', async (fault, end) => {
		const id = await submitVideo(simulator, { ...videoRequest, model: `fault-${fault}` });
		now += 10_000;
		expect(jsonOf(await get(simulator, `${VIDEO}/${id}`))).toMatchObject(end);
	});
});

describe('closing the simulator', () => {
	it('ends a hanging request and closes all connections', async () => {
		const simulator = await startSimulator();
		simulator.inject({ endpoint: 'chat', fault: 'hang' });
		const pending = post(simulator, CHAT, chatRequest);
		while (simulator.count('chat') === 0) await new Promise(setImmediate);
		expect(simulator.openSockets).toBe(1);
		await simulator.close();
		expect((await pending).ending).toBe('broken');
		expect(simulator.openSockets).toBe(0);
		expect(simulator.connections).toBe(1);
	});
});
