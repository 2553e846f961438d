import { createHash } from 'node:crypto';
import { FAULTS, startSimulator, type Endpoint, type Simulator } from '../../simulator';
import { CHAT, get, goodRequest, jsonOf, post, question, scene, submitted, VIDEO } from './client';
import type { Seen } from './client';

type Asked = Exclude<Endpoint, 'other'>;

/** Faults whose answer is right in the end; what they change is the way it comes. */
const harmless = [
	'slow-response',
	'slow-drip',
	'close-after',
	'stream-split',
	'stream-joined',
	'stream-slow',
	// Without tools there is nothing to spoil.
	'tool-name-repeated',
	'tool-id-emptied',
];
const silent = ['hang', 'hang-inside', 'stream-hang'];

/** What a client can tell of an answer, without what differs from one answer to the next. */
function outcome({ status, headers, body, ending }: Seen): string {
	const { date: _date, connection: _connection, 'keep-alive': _keep, ...told } = headers;
	const text = ending === 'endless' ? '' : body.toString('latin1');
	const plain = text.replace(/(chatcmpl|video|task)-[0-9a-f]+|"created":\d+/g, '');
	const digest = createHash('sha256').update(plain).digest('hex');
	const length = { 'content-length': told['content-length'] === undefined ? 'none' : 'some' };
	return JSON.stringify({ status, ending, digest, ...told, ...length });
}

describe('the fault table', () => {
	let simulator: Simulator;
	let task: string;
	const healthy = new Map<Asked, string>();

	beforeAll(async () => {
		// A clock that is a second later whenever it is read: what comes late comes soon.
		let now = Date.now();
		simulator = await startSimulator({
			videoSeconds: 0,
			slowMs: 1,
			oversizedBytes: 200_000,
			now: () => (now += 1000),
		});
		task = await submitted(simulator);
		for (const endpoint of [
			'chat',
			'chatStream',
			'models',
			'submit',
			'poll',
			'download',
		] as const) {
			healthy.set(endpoint, outcome(await goodRequest(simulator, endpoint, task)));
		}
	});
	afterAll(() => simulator.close());

	const names = FAULTS.map(({ name }) => name);

	it('has no name twice, and none that could be read as another', () => {
		expect(new Set(names).size).toBe(names.length);
		for (const name of names) {
			expect(name).toMatch(/^(?!poll-|download-)[a-z0-9]+(-[a-z0-9]+)*(?<!-once|-twice)$/);
		}
	});

	const cases = FAULTS.filter(({ effect }) => effect.kind !== 'task').flatMap(
		({ name, endpoints }) =>
			endpoints.flatMap((endpoint) => (endpoint === 'other' ? [] : [[name, endpoint] as const])),
	);

	it.each(cases)('%s on %s spoils one answer, and the next is good', async (fault, endpoint) => {
		simulator.inject({ endpoint, fault, times: 1 });
		const more = silent.includes(fault) ? { patience: 100 } : {};
		const spoiled = outcome(await goodRequest(simulator, endpoint, task, more));
		if (!harmless.includes(fault)) expect(spoiled).not.toBe(healthy.get(endpoint));
		expect(outcome(await goodRequest(simulator, endpoint, task))).toBe(healthy.get(endpoint));
	});

	it.each(harmless)('%s brings the whole answer', async (fault) => {
		simulator.inject({ endpoint: 'chatStream', fault, times: 1 });
		const text = ({ body }: Seen) => body.toString().replace(/chatcmpl-\w+|"created":\d+/g, '');
		const seen = await goodRequest(simulator, 'chatStream', task);
		expect(text(seen)).toBe(text(await goodRequest(simulator, 'chatStream', task)));
	});
});

describe('asking for a fault', () => {
	let simulator: Simulator;
	let now: number;

	beforeEach(async () => {
		now = Date.UTC(2025, 5, 1);
		simulator = await startSimulator({ videoSeconds: 10, now: () => now });
	});
	afterEach(() => simulator.close());

	const chat = async (change: object) =>
		(await post(simulator, CHAT, { ...question, ...change })).status;
	const says = (content: string) => ({ messages: [{ role: 'user', content }] });

	it('by the name of a model', async () => {
		expect(await chat({ model: 'fault-unavailable' })).toBe(503);
		expect((await post(simulator, VIDEO, { ...scene, model: 'fault-bad-gateway' })).status).toBe(
			502,
		);
	});

	it('by a tag in a message or a prompt', async () => {
		expect(await chat(says('Hello [fault:quota-not-enough]'))).toBe(403);
		const prompt = 'A [fault:content-filtered] fox';
		expect((await post(simulator, VIDEO, { ...scene, prompt })).status).toBe(400);
	});

	it('once or twice, so that a retry succeeds, and again a minute later', async () => {
		const once = { model: 'fault-rate-limit-once' };
		expect([await chat(once), await chat(once), await chat(once)]).toEqual([429, 200, 200]);
		const twice = says('[fault:internal-error-twice]');
		expect([await chat(twice), await chat(twice), await chat(twice)]).toEqual([500, 500, 200]);
		now += 60_000;
		expect([await chat(once), await chat(once)]).toEqual([429, 200]);
	});

	it('for the polls and the file of a task', async () => {
		const prompt = 'A fox [fault:poll-internal-error-twice] [fault:download-empty-404-once]';
		const id = await submitted(simulator, { ...scene, prompt });
		now += 10_000;
		const poll = async () => (await goodRequest(simulator, 'poll', id)).status;
		expect([await poll(), await poll(), await poll()]).toEqual([500, 500, 200]);
		const file = async () => (await goodRequest(simulator, 'download', id)).status;
		expect([await file(), await file()]).toEqual([404, 200]);
	});

	it('by injection: after some requests, for some requests, for matching requests', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'unavailable', after: 1, times: 1 });
		expect([await chat({}), await chat({}), await chat({})]).toEqual([200, 503, 200]);
		simulator.inject({ endpoint: 'chat', fault: 'unavailable', matching: 'tea' });
		expect([await chat(says('tea')), await chat(says('milk')), await chat(says('tea'))]).toEqual([
			503, 200, 503,
		]);
		simulator.clearFaults();
		expect(await chat(says('tea'))).toBe(200);
	});

	it('that cannot happen there is a mistake', () => {
		expect(() => simulator.inject({ endpoint: 'chat', fault: 'models-bare' })).toThrow(
			'models-bare',
		);
		expect(() => simulator.inject({ endpoint: 'chat', fault: 'nothing' })).toThrow('nothing');
	});

	it('counts a lost submission as accepted and a refused one as not', async () => {
		await post(simulator, VIDEO, { ...scene, prompt: '[fault:reset]' });
		expect(simulator.submissions).toBe(0);
		await post(simulator, VIDEO, { ...scene, prompt: '[fault:lost]' });
		expect(simulator.submissions).toBe(1);
		expect(simulator.count('submit')).toBe(2);
	});

	it('counts as done what a server in between says failed, and not what the service refuses', async () => {
		for (const fault of ['handled-html-502', 'handled-empty-500', 'handled-foreign-502']) {
			const status = Number(fault.slice(-3));
			expect((await post(simulator, VIDEO, { ...scene, model: `fault-${fault}` })).status).toBe(
				status,
			);
			expect(await chat({ model: `fault-${fault}` })).toBe(status);
		}
		expect([simulator.submissions, simulator.completions]).toEqual([3, 3]);
		await post(simulator, VIDEO, { ...scene, model: 'fault-html-502' });
		await chat({ model: 'fault-bad-gateway' });
		expect([simulator.submissions, simulator.completions]).toEqual([3, 3]);
	});

	it('answers 503 late, when its own clock says so', async () => {
		const late = post(simulator, VIDEO, { ...scene, model: 'fault-late-503' });
		while (simulator.submissions === 0) await new Promise(setImmediate);
		now += 10_999;
		const first = await Promise.race([late, chat({})]);
		expect(first).toBe(200);
		now += 1;
		expect((await late).status).toBe(503);
	});

	it('hides a task for as long as a replica lags', async () => {
		const id = await submitted(simulator, { ...scene, model: 'fault-not-found-yet' });
		const poll = async () => jsonOf(await goodRequest(simulator, 'poll', id));
		now += 9_999;
		expect(await poll()).toMatchObject({ code: 'task_not_found' });
		now += 1;
		expect(await poll()).toMatchObject({ id, status: 'completed' });
	});

	it('streams what was asked for in one piece', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'stream-unrequested', times: 1 });
		const seen = await post(simulator, CHAT, question);
		expect(seen.headers['content-type']).toContain('text/event-stream');
		const [said, ...rest] = seen.body.toString().split('\n\n');
		const whole = jsonOf(await post(simulator, CHAT, question));
		const content = (from: unknown) =>
			/"content":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(from))?.[1];
		expect(content(JSON.parse(String(said).slice('data: '.length)))).toBe(content(whole));
		expect(rest).toEqual([expect.stringContaining('"usage"'), 'data: [DONE]', '']);
	});

	it('echoes the key where it is told to', async () => {
		const seen = await post(simulator, CHAT, { ...question, model: 'fault-echo-key-general' });
		expect(jsonOf(seen)).toMatchObject({ message: expect.stringContaining(simulator.key) });
	});

	const ends: ReadonlyArray<[fault: string, end: object]> = [
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

	it.each(ends)('%s: the task is accepted and ends so', async (fault, end) => {
		const id = await submitted(simulator, { ...scene, model: `fault-${fault}` });
		now += 10_000;
		expect(jsonOf(await get(simulator, `${VIDEO}/${id}`))).toMatchObject(end);
	});
});

describe('closing the simulator', () => {
	it('ends a request that hangs, and every connection', async () => {
		const simulator = await startSimulator();
		simulator.inject({ endpoint: 'chat', fault: 'hang' });
		const asked = post(simulator, CHAT, question);
		while (simulator.count('chat') === 0) await new Promise(setImmediate);
		expect(simulator.openSockets).toBe(1);
		await simulator.close();
		expect((await asked).ending).toBe('broken');
		expect(simulator.openSockets).toBe(0);
		expect(simulator.connections).toBe(1);
	});
});
