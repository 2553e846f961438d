import {
	ENDPOINTS,
	FAULTS,
	type KnownEndpoint,
	type Simulator,
	startSimulator,
} from '../../simulator';
import { CHAT, validRequest, post, chatRequest, videoRequest, submitVideo, VIDEO } from './client';
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
function outcome({ status, headers, body, ending }: Received) {
	const { date: _date, connection: _connection, 'keep-alive': _keep, ...stable } = headers;
	const isSized = stable['content-length'] !== undefined;
	const text = body
		.toString('latin1')
		.replace(/(chatcmpl|video|task)-[0-9a-f]+|"created":\d+/g, '');
	return {
		status,
		ending,
		headers: { ...stable, 'content-length': isSized ? 'some' : 'none' },
		body: ending === 'too large' ? '' : text,
	};
}

describe('the fault table', () => {
	let simulator: Simulator;
	let task: string;
	const healthy = new Map<KnownEndpoint, object>();

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
			if (!harmless.includes(fault)) expect(faulty).not.toEqual(healthy.get(endpoint));
			expect(outcome(await validRequest(simulator, endpoint, task))).toEqual(healthy.get(endpoint));
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
