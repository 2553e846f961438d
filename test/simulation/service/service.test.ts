import { buffer, text } from 'node:stream/consumers';
import { VirtualClock } from '../../clock/virtualClock';
import { createService, videoOf } from '.';
import type { ServicePlan } from './plan';

const PATH = { chat: '/v1/chat/completions', video: '/media/v1/video/generations' };

let clock: VirtualClock;
let service: ReturnType<typeof createService>;

function start(plan: Partial<ServicePlan>) {
	clock = new VirtualClock();
	const healthy: ServicePlan = { latencyMs: [20, 80], tasks: [], limits: [], faults: [] };
	const { now, after } = clock;
	service = createService({ ...healthy, ...plan }, { now, after, seed: 1 });
}

const headers = () => ({
	authorization: `Bearer ${service.keys.main}`,
	'content-type': 'application/json',
});

/** One request as the gateway sends it. */
async function send(method: 'GET' | 'POST', path: string, body?: object) {
	const response = new Promise<{ status: number; text: string; error?: Error }>((resolve) => {
		let status = 0;
		const parts: Buffer[] = [];
		const result = () => ({ status, text: Buffer.concat(parts).toString() });
		new service.undici.Agent().dispatch(
			{
				origin: service.url,
				path,
				method,
				headers: headers(),
				body: body ? JSON.stringify(body) : null,
			},
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
		model: 'chat-a',
		messages: [{ role: 'user', content }],
		...more,
	});

const submit = async (prompt: string, more: object = {}) => {
	const { text } = await send('POST', PATH.video, { model: 'video-a', prompt, ...more });
	return (JSON.parse(text) as { data: Array<{ id: string }> }).data.map(({ id }) => id);
};

const poll = async (id?: string) => {
	const { text } = await send('GET', `${PATH.video}/${id}`);
	return JSON.parse(text) as Record<string, unknown>;
};

const download = async (url: unknown) =>
	await clock.run(
		service.httpRequest({
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
	expect((await send('GET', '/v1/models')).text).toContain('chat-a');
	expect(service.truth.requests).toMatchObject([
		{ endpoint: 'chat', prompt: 'Hello', accepted: true, whole: true, status: 200 },
		{ endpoint: 'chat', prompt: 'Good morning', accepted: true, attempt: 1 },
		{ endpoint: 'models', accepted: false },
	]);
});

it('makes videos on its own clock, and their files have the bytes of their tasks', async () => {
	start({ tasks: [{ prompt: 'other', seconds: 1 }, { seconds: 3600 }], hasFileHost: true });
	const [id = ''] = await submit('a fox');
	expect(await poll(id)).toMatchObject({ status: 'queued', url: null });
	await clock.run(clock.sleep(3600_000));
	const { url } = await poll(id);
	const { statusCode, body } = await download(url);
	expect(statusCode).toBe(200);
	expect((await clock.run(buffer(body))).equals(videoOf(id))).toBe(true);
	expect(service.truth.tasks.get(id)).toMatchObject({ prompt: 'a fox', ending: 'completed' });
});

it('plays each fault on the item and the attempt that it names', async () => {
	start({
		faults: [
			{ endpoint: 'chat', fault: 'lost', prompt: 'two', attempts: [2] },
			{ endpoint: 'poll', fault: 'page-502', prompt: 'a fox', attempts: [1] },
			{ endpoint: 'submit', fault: 'status-503', from: 100, until: 200 },
		],
	});
	expect((await chat('two')).status).toBe(200);
	expect((await chat('one')).status).toBe(200);
	expect((await chat('two')).error).toMatchObject({ code: 'ECONNRESET' });
	const [id] = await submit('a fox');
	const status = async () => (await send('GET', `${PATH.video}/${id}`)).status;
	expect([await status(), await status()]).toEqual([502, 200]);
	await clock.run(clock.sleep(100_000));
	expect((await send('POST', PATH.video, { model: 'video-a', prompt: 'x' })).status).toBe(503);
	const { requests } = service.truth;
	expect(requests[2]).toMatchObject({ accepted: true, fault: 'lost', whole: false });
	expect(requests.at(-1)).toMatchObject({ accepted: false, fault: 'status-503' });
});

it('receives nothing of a request that is given up while it connects, and all of one that is given up later', async () => {
	start({ connectMs: [2_000, 2_000] });
	const giveUpAfter = async (ms: number) => {
		const body = JSON.stringify({ model: 'video-a', prompt: 'a fox' });
		const url = service.url + PATH.video;
		void service.httpRequest({ method: 'POST', url, headers: headers(), body, encoding: 'stream' });
		await clock.run(clock.sleep(ms));
		service.cut();
		const wasReached = service.isReached();
		await clock.run(clock.sleep(5_000));
		return wasReached;
	};
	expect(await giveUpAfter(1_990)).toBe(true);
	expect(service.truth.requests).toEqual([]);
	expect(await giveUpAfter(2_010)).toBe(false);
	expect(service.isReached()).toBe(true);
	expect(service.truth.requests).toMatchObject([{ accepted: true, whole: false }]);
});

it('damages compressed responses, which n8n reads as far as they go', async () => {
	start({
		faults: [
			{ endpoint: 'models', fault: 'bad-gzip', attempts: [1] },
			{ endpoint: 'models', fault: 'cut-gzip' },
		],
	});
	const read = async () => {
		const { body } = await clock.run(
			service.httpRequest({
				url: `${service.url}/v1/models`,
				headers: headers(),
				encoding: 'stream',
			}),
		);
		return await clock.run(text(body));
	};
	await expect(read()).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
	expect(await read()).toMatch(/^\{"/);
	expect(service.truth.requests).toMatchObject([{ whole: false }, { whole: false }]);
});

it('keeps limits of each scope while they are in force, and says which one refused', async () => {
	start({
		limits: [
			{ kind: 'fixedWindow', requests: 1, seconds: 60, scope: 'model', until: 90 },
			{ kind: 'slidingWindow', requests: 3, seconds: 10, scope: 'key', announces: 'nothing' },
		],
	});
	const status = async (model: string) => (await chat('Hi', { model })).status;
	expect([await status('chat-a'), await status('chat-a')]).toEqual([200, 429]);
	expect(await status('chat-b')).toBe(200);
	expect(service.truth.requests[1]).toMatchObject({
		limit: 'fixedWindow of each model',
		pauseUntil: expect.any(Number),
	});
	await clock.run(clock.sleep(90_000));
	const statuses = [];
	for (let request = 0; request < 4; request += 1) statuses.push(await status('chat-a'));
	expect(statuses).toEqual([200, 200, 200, 429]);
	expect(service.truth.requests.at(-1)).toMatchObject({
		limit: 'slidingWindow of each key',
		pauseUntil: undefined,
	});
});

it.each([
	[{ ending: 'vanished' as const }, 'not found'],
	[{ lateSeconds: 30 }, 'processing'],
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
	start({ tasks: [{ seconds: 1, count: 3, changesId: true }] });
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
		outages: [{ failure: 'refused', until: 60 }],
		faults: [{ endpoint: 'chat', fault: 'page-502' }],
	});
	expect((await chat('Hi')).error).toMatchObject({ code: 'ECONNREFUSED' });
	await clock.run(clock.sleep(60_000));
	expect((await chat('Hi')).status).toBe(502);
	expect(service.truth.requests).toHaveLength(1);
	const elsewhere = service.httpRequest({ url: 'http://other.test/x' });
	await expect(clock.run(elsewhere)).rejects.toMatchObject({ code: 'ENOTFOUND' });
	expect(service.truth.elsewhere).toMatchObject([{ url: 'http://other.test/x' }]);
});

it('accepts what was written, though its process has ended', async () => {
	start({});
	let noticed = 0;
	const note = () => void (noticed += 1);
	const body = JSON.stringify({ model: 'video-a', prompt: 'a fox' });
	const request = {
		origin: service.url,
		path: PATH.video,
		method: 'POST' as const,
		headers: headers(),
		body,
	};
	new service.undici.Agent().dispatch(request, {
		onRequestStart: () => {},
		onResponseStart: note,
		onResponseEnd: note,
		onResponseError: note,
	});
	service.cut();
	await clock.run(clock.sleep(10_000));
	expect(noticed).toBe(0);
	expect(service.truth.tasks.size).toBe(1);
	expect(service.truth.requests).toMatchObject([
		{ accepted: true, whole: false, status: undefined },
	]);
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
