import { buffer, text } from 'node:stream/consumers';
import { VirtualClock } from '../../gateway/virtualClock';
import { createService, memoryDispatcher, memoryHttpRequest, type Service, videoOf } from '.';
import type { ServicePlanInput } from './plan';

const PATH = { chat: '/v1/chat/completions', video: '/media/v1/video/generations' };

let clock: VirtualClock;
let service: Service;

function start(plan: ServicePlanInput) {
	clock = new VirtualClock();
	service = createService(plan, clock);
}

/** One request through the dispatcher, as the gateway sends it. */
async function send(method: 'GET' | 'POST', path: string, body?: object) {
	const { Agent } = memoryDispatcher(service);
	const headers = {
		authorization: `Bearer ${service.keys[0]}`,
		'content-type': 'application/json',
	};
	const response = new Promise<{ status: number; text: string; error?: Error }>((resolve) => {
		let status = 0;
		const parts: Buffer[] = [];
		const result = () => ({ status, text: Buffer.concat(parts).toString() });
		new Agent().dispatch(
			{ origin: service.url, path, method, headers, body: body ? JSON.stringify(body) : null },
			{
				onRequestStart: () => {},
				onResponseStart: (_controller, received) => void (status = received),
				onResponseData: (_controller, bytes) => void parts.push(bytes),
				onResponseEnd: () => resolve(result()),
				onResponseError: (_controller, error) => resolve({ ...result(), error }),
			},
		);
	});
	return await clock.run(response);
}

const chat = (content: string, more: object = {}) =>
	send('POST', PATH.chat, {
		model: 'heron-chat',
		messages: [{ role: 'user', content }],
		...more,
	});

const submit = async (prompt: string, more: object = {}) => {
	const { text } = await send('POST', PATH.video, { model: 'kite-motion', prompt, ...more });
	return (JSON.parse(text) as { data: Array<{ id: string }> }).data.map(({ id }) => id);
};

const poll = async (id?: string) => {
	const { text } = await send('GET', `${PATH.video}/${id}`);
	return JSON.parse(text) as Record<string, unknown>;
};

const download = async (url: unknown) =>
	await clock.run(
		memoryHttpRequest(service)({
			url: String(url),
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		}),
	);

it('answers chats, whole and as streams, and lists models', async () => {
	start({});
	expect(await chat('Hello')).toMatchObject({
		status: 200,
		text: expect.stringContaining('Hello'),
	});
	const streamed = await chat('Good morning', { stream: true });
	expect(streamed.text).toContain('data: [DONE]');
	expect((await send('GET', '/v1/models')).text).toContain('heron-chat');
	expect(service.truth.requests).toMatchObject([
		{ endpoint: 'chat', prompt: 'Hello', accepted: true, ending: 'complete', status: 200 },
		{ endpoint: 'chatStream', prompt: 'Good morning', accepted: true, attempt: 1 },
		{ endpoint: 'models', accepted: false },
	]);
});

it('makes videos on its own clock, and their files have the bytes of their tasks', async () => {
	start({ tasks: [{ seconds: 3600 }, { prompt: 'other', seconds: 1 }], hasFileHost: true });
	const [id = ''] = await submit('a fox');
	expect(await poll(id)).toMatchObject({ status: 'queued', url: null });
	await clock.run(clock.sleep(3600_000));
	const { url } = await poll(id);
	const { statusCode, body } = await download(url);
	expect(statusCode).toBe(200);
	expect((await clock.run(buffer(body))).equals(videoOf(id))).toBe(true);
	expect(service.truth.tasks).toMatchObject([
		{ id, prompt: 'a fox', ending: 'completed', request: 0 },
	]);
});

it('plays each fault on the item and the attempt that it names', async () => {
	start({
		faults: [
			{ endpoint: 'chat', fault: 'lost', prompt: 'two', attempts: [2] },
			{ endpoint: 'poll', fault: 'html-502', prompt: 'a fox', attempts: [1] },
			{ endpoint: 'submit', fault: 'unavailable', fromSeconds: 100, untilSeconds: 200 },
		],
	});
	expect((await chat('two')).status).toBe(200);
	expect((await chat('one')).status).toBe(200);
	expect((await chat('two')).error).toMatchObject({ code: 'ECONNRESET' });
	const [id] = await submit('a fox');
	const status = async () => (await send('GET', `${PATH.video}/${id}`)).status;
	expect([await status(), await status()]).toEqual([502, 200]);
	await clock.run(clock.sleep(100_000));
	expect((await send('POST', PATH.video, { model: 'kite-motion', prompt: 'x' })).status).toBe(503);
	const { requests } = service.truth;
	expect(requests[2]).toMatchObject({ accepted: true, fault: 'lost', ending: 'reset' });
	expect(requests.at(-1)).toMatchObject({ accepted: false, fault: 'unavailable' });
});

it('keeps limits of each scope while they are in force, and says which one refused', async () => {
	start({
		limits: [
			{ kind: 'fixedWindow', requests: 1, windowSeconds: 60, scope: 'model', untilSeconds: 90 },
			{ kind: 'slidingWindow', requests: 3, windowSeconds: 10, announces: 'nothing' },
		],
	});
	const status = async (model: string) => (await chat('Hi', { model })).status;
	expect([await status('heron-chat'), await status('heron-chat')]).toEqual([200, 429]);
	expect(await status('pebble-mini')).toBe(200);
	expect(service.truth.requests[1]).toMatchObject({ limit: 0, pauseUntil: expect.any(Number) });
	await clock.run(clock.sleep(90_000));
	const last = ['lantern-reason', 'lantern-reason', 'lantern-reason', 'lantern-reason'];
	const statuses = [];
	for (const model of last) statuses.push(await status(model));
	expect(statuses).toEqual([200, 200, 200, 429]);
	expect(service.truth.requests.at(-1)).toMatchObject({ limit: 1, pauseUntil: undefined });
});

it.each([
	[{ vanishesAfterSeconds: 5 }, 'not found'],
	[{ statusLagSeconds: 30 }, 'processing'],
	[{ ending: 'failed' as const }, 'failed'],
	[{ urlLagSeconds: 30 }, 'completed'],
])('has tasks that end in odd ways: %j', async (plan, expected) => {
	start({ tasks: [{ seconds: 10, ...plan }] });
	const [id] = await submit('a fox');
	await clock.run(clock.sleep(20_000));
	const task = await poll(id);
	expect([task.status, task.code]).toContain(
		expected === 'not found' ? 'task_not_found' : expected,
	);
	if (expected === 'completed') expect(task.url).toBeNull();
});

it('makes more or fewer tasks than asked for, and reports another id', async () => {
	start({ tasks: [{ seconds: 1, extraTasks: 1, changesId: true }] });
	const ids = await submit('a fox', { n: 2 });
	expect(ids).toHaveLength(3);
	const { id } = await poll(ids[0]);
	expect(id).not.toBe(ids[0]);
	expect((await poll(String(id))).id).toBe(id);
});

it('has URLs that expire and files that come late', async () => {
	start({ tasks: [{ seconds: 1, urlValidSeconds: 60, fileLagSeconds: 30 }] });
	const [id] = await submit('a fox');
	await clock.run(clock.sleep(2_000));
	const { url } = await poll(id);
	const status = async () => (await download(url)).statusCode;
	expect(await status()).toBe(404);
	await clock.run(clock.sleep(40_000));
	expect(await status()).toBe(200);
	await clock.run(clock.sleep(30_000));
	expect(await status()).toBe(403);
});

it('is unreachable while the network is, and notes what went elsewhere', async () => {
	start({
		network: [{ failure: 'refused', untilSeconds: 60 }],
		faults: [{ endpoint: 'chat', fault: 'html-502' }],
	});
	expect((await chat('Hi')).error).toMatchObject({ code: 'ECONNREFUSED' });
	await clock.run(clock.sleep(60_000));
	expect((await chat('Hi')).status).toBe(502);
	expect(service.truth.requests).toHaveLength(1);
	const elsewhere = memoryHttpRequest(service)({ url: 'http://other.test/x' });
	await expect(clock.run(elsewhere)).rejects.toMatchObject({ code: 'ENOTFOUND' });
	expect(service.truth.elsewhere).toMatchObject([{ url: 'http://other.test/x' }]);
});

it('accepts what was written, though its process has ended', async () => {
	start({});
	const { Agent } = memoryDispatcher(service);
	let noticed = 0;
	const note = () => void (noticed += 1);
	const body = JSON.stringify({ model: 'kite-motion', prompt: 'a fox' });
	const headers = {
		authorization: `Bearer ${service.keys[0]}`,
		'content-type': 'application/json',
	};
	const request = { origin: service.url, path: PATH.video, method: 'POST' as const, headers, body };
	new Agent().dispatch(request, {
		onRequestStart: () => {},
		onResponseStart: note,
		onResponseEnd: note,
		onResponseError: note,
	});
	service.cut();
	await clock.run(clock.sleep(10_000));
	expect(noticed).toBe(0);
	expect(service.truth.tasks).toHaveLength(1);
	expect(service.truth.requests).toMatchObject([{ accepted: true, ending: 'given up' }]);
	expect(service.open.size).toBe(0);
});

it('reads a page of another server like any response', async () => {
	start({ faults: [{ endpoint: 'download', fault: 'page-407' }] });
	const [id] = await submit('a fox');
	await clock.run(clock.sleep(4_000));
	const { statusCode, body } = await download((await poll(id)).url);
	expect(statusCode).toBe(407);
	expect(await clock.run(text(body))).toContain('<html>');
});
