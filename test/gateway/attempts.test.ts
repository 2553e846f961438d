import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { Gateway, GatewayOptions } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';
import { withEgressCheck } from '../../gateway/http/transport';
import type { Transport } from '../../gateway/http/types';
import { RawServer, rawJson } from '../engine/rawServer';
import { COMPLETION, failureOf, gatewayAt, responseOf, stubbedGateway } from './inMemory';
import { until } from '../clock/until';
import { VirtualClock } from '../clock/virtualClock';

const video = { model: 'kite-motion', prompt: 'A boat' };
const SUBMISSION = { id: 'r', data: [{ id: 'task', status: 'processing' }] };
/** It answers a chat, a submission, a poll and a list of models. */
const ANSWER = { ...COMPLETION, ...SUBMISSION, id: 'task', status: 'queued' };
let services = 0;

type Request = Parameters<NonNullable<GatewayOptions['transport']>>[0];

/** A service that answers each request after some milliseconds, unless it is given up. */
function slowService(msOf: (request: Request) => number) {
	const clock = new VirtualClock();
	const seen = { inFlight: 0, peak: 0 };
	const transport = async (request: Request) => {
		const stop = new AbortController();
		request.whenGivenUp(() => stop.abort());
		request.onWritten();
		seen.peak = Math.max(seen.peak, (seen.inFlight += 1));
		await clock.sleep(msOf(request), stop.signal);
		seen.inFlight -= 1;
		return responseOf(200, ANSWER);
	};
	const baseUrl = `http://slow-${(services += 1)}.test`;
	return { clock, seen, options: { clock, transport }, baseUrl };
}

test('waiting for a slot of Max Concurrency does not count towards Timeout', async () => {
	const { clock, seen, baseUrl, options } = slowService(() => 50_000);
	const gateway = gatewayAt(baseUrl, { ...options, maxConcurrency: 10 });
	const submissions = Array.from({ length: 30 }, async () => await gateway.submitVideo(video));
	await expect(clock.run(Promise.all(submissions))).resolves.toHaveLength(30);
	expect(seen.peak).toBe(10);
});

test('hundreds of requests that hang delay no other execution, with the same key or another', async () => {
	const { clock, seen, baseUrl, options } = slowService(({ method }) =>
		method === 'POST' ? 3_600_000 : 100,
	);
	const busy = gatewayAt(baseUrl, { ...options, maxConcurrency: 500, timeoutMs: 7_200_000 });
	const hanging = Array.from({ length: 500 }, async () => await busy.submitVideo(video));
	const start = clock.now();
	for (const apiKey of ['key-of-tests', 'other-key'])
		await clock.run(gatewayAt(baseUrl, { ...options, apiKey }).getVideoTask('task'));
	expect(seen.peak).toBe(501);
	expect(clock.now() - start).toBe(200);
	await clock.run(Promise.all(hanging));
});

describe('a connection that was used before', () => {
	const service = new RawServer();
	beforeEach(async () => await service.listen());
	afterEach(async () => await service.close());

	const chat = async (gateway: Gateway) => {
		await gateway.chat({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
	};
	const poll = async (gateway: Gateway) => {
		await gateway.getVideoTask('task');
	};

	test.each([
		['takes a chat soon after the last one', chat, 3_400, 1],
		['takes no chat when a server may be about to close it', chat, 3_500, 2],
		['takes a poll every ten seconds', poll, 10_000, 1],
		['takes no poll much later', poll, 15_000, 2],
	])('%s', async (_name, send, idleMs, connections) => {
		const idleTimers: Array<{ ms: number; end: () => void }> = [];
		const setTimer = setTimeout;
		jest.spyOn(global, 'setTimeout').mockImplementation((action, ms = 0, ...values) => {
			if (ms >= 1_000 && service.requests.length > 0)
				idleTimers.push({ ms, end: () => action(...values) });
			return setTimer(action, ms, ...values);
		});
		service.reset();
		service.respond = (request) => {
			const answer = { choices: [{ message: { content: 'Hi' } }] };
			const task = { id: 'task', status: 'queued' };
			return rawJson(request.startsWith('POST') ? answer : task);
		};
		// The timers that are left are those of undici.
		const gateway = gatewayAt(service.url, { maxConcurrency: 1, clock: new VirtualClock() });
		await send(gateway);
		await until(() => idleTimers.length > 0);
		for (const { ms, end } of idleTimers) if (ms <= idleMs) end();
		await send(gateway);
		expect(service.connections).toBe(connections);
	});
});

test.each([
	[60_000, 10_000],
	[2_000, 2_000],
])(
	'with a Timeout of %d ms, connecting times out after %d ms and the request was not sent',
	async (timeoutMs, expectedMs) => {
		const clock = new VirtualClock();
		const start = clock.now();
		const gateway = stubbedGateway({
			timeoutMs,
			clock,
			transport: async ({ whenGivenUp }) =>
				await new Promise((_resolve, reject) => {
					whenGivenUp(() => reject(new Error('given up')));
				}),
		});
		const error = await clock.run(failureOf(gateway.submitVideo(video)));
		expect(error).toMatchObject({
			code: 'connect_timeout',
			record: { may_have_been_accepted: false },
		});
		expect(clock.now() - start).toBe(expectedMs);
	},
);

test.each([
	['cancelled before a connection takes it was not accepted', false],
	['cancelled after a connection took it may have been accepted', true],
])('a request %s', async (_when, isWritten) => {
	const stop = new AbortController();
	const gateway = stubbedGateway({
		transport: async ({ onWritten, whenGivenUp }) => {
			if (isWritten) onWritten();
			return await new Promise((_resolve, reject) => {
				whenGivenUp(() => reject(new Error('given up')));
				stop.abort();
			});
		},
	});
	const error = await failureOf(gateway.submitVideo(video, stop.signal));
	expect(error.code).toBe('cancelled');
	expect(error.record.may_have_been_accepted ?? false).toBe(isWritten);
});

describe("n8n's check of the service's URL", () => {
	const gatewayWith = (clock: VirtualClock, validateUrl: () => Promise<unknown>) => {
		const respond: Transport = async () => await Promise.resolve(responseOf(200, SUBMISSION));
		const filter = { validateUrl, createSecureLookup: () => () => {} };
		const transport = withEgressCheck(respond, filter, 'http://service.test');
		return stubbedGateway({ clock, transport });
	};

	test('is ended by Stop at once', async () => {
		const clock = new VirtualClock();
		const stop = new AbortController();
		const gateway = gatewayWith(clock, async () => await new Promise(() => {}));
		const failure = failureOf(gateway.submitVideo(video, stop.signal));
		stop.abort();
		const { record } = await failure;
		expect(record.code).toBe('cancelled');
		expect(record.may_have_been_accepted).toBeUndefined();
		const next = failureOf(gateway.submitVideo(video, stop.signal));
		expect(await next).toMatchObject({ code: 'cancelled' });
		expect(clock.timers).toBe(0);
	});

	test('may take 10 seconds, and is made again for the next item', async () => {
		const clock = new VirtualClock();
		let checks = 0;
		const gateway = gatewayWith(clock, async () => {
			checks += 1;
			if (checks === 1) await new Promise(() => {});
		});
		const start = clock.now();
		const failure = await clock.run(failureOf(gateway.submitVideo(video)));
		expect(failure).toMatchObject({
			code: 'connect_timeout',
			record: { may_have_been_accepted: false },
		});
		expect(clock.now() - start).toBe(10_000);
		await expect(clock.run(gateway.submitVideo(video))).resolves.toBeDefined();
		await clock.run(gateway.submitVideo(video));
		expect(checks).toBe(2);
	});

	const refusal = Object.assign(new Error('No'), { name: 'SsrfBlockedIpError' });

	test.each<[string, () => Promise<unknown>]>([
		['rejects', async () => await Promise.reject(refusal)],
		['says no', async () => await Promise.resolve({ ok: false, error: refusal })],
	])('blocks the URL if it %s', async (_how, validateUrl) => {
		const gateway = gatewayWith(new VirtualClock(), validateUrl);
		const failure = failureOf(gateway.submitVideo(video));
		expect(await failure).toMatchObject({
			code: 'address_blocked',
			record: { may_have_been_accepted: false },
		});
	});

	test('tells a host name that it does not find', async () => {
		const unknown = Object.assign(new Error('No'), { code: 'ENOTFOUND' });
		const gateway = gatewayWith(new VirtualClock(), async () => await Promise.reject(unknown));
		const failure = failureOf(gateway.submitVideo(video));
		expect(await failure).toMatchObject({
			code: 'ENOTFOUND',
			record: { may_have_been_accepted: false },
		});
	});
});

test('a poll that may take 20 seconds, retries included, ends then', async () => {
	const { clock, options, baseUrl } = slowService(() => 50_000);
	const start = clock.now();
	const poll = gatewayAt(baseUrl, options).getVideoTask('task', undefined, undefined, 20_000);
	await clock.run(failureOf(poll));
	expect(clock.now() - start).toBe(20_000);
});

test.each([0, 30_000])(
	'the retries of a poll that may take 20 seconds end then, too, after %i ms in our own queue',
	async (queuedMs) => {
		const clock = new VirtualClock();
		const start = clock.now();
		const gateway = stubbedGateway({
			maxRetries: 20,
			maxConcurrency: 1,
			clock,
			transport: async ({ path, onWritten }) => {
				onWritten();
				const isOther = path.endsWith('/other');
				await clock.sleep(isOther ? queuedMs : 3_000);
				if (isOther) return responseOf(200, { id: 'other', status: 'processing' });
				return responseOf(502, { code: 'bad_gateway', message: 'Down', data: null });
			},
		});
		const other = gateway.getVideoTask('other');
		await clock.run(failureOf(gateway.getVideoTask('task', undefined, undefined, 20_000)));
		await other;
		expect(clock.now() - start - queuedMs).toBeLessThanOrEqual(20_000 + 3_000);
		expect(clock.now() - start - queuedMs).toBeGreaterThan(9_000);
	},
);

test('a refusal whose body never ends is acted on within five seconds, and says nothing', async () => {
	const clock = new VirtualClock();
	let requests = 0;
	const gateway = stubbedGateway({
		maxRetries: 1,
		clock,
		transport: async ({ onWritten }) => {
			onWritten();
			requests += 1;
			if (requests === 2) return responseOf(200, SUBMISSION);
			const body = new StreamedBody(new Readable({ read() {} }));
			return await Promise.resolve({ status: 429, headers: { 'retry-after': '1' }, body });
		},
	});
	const start = clock.now();
	await clock.run(gateway.submitVideo(video));
	expect(clock.now() - start).toBeLessThanOrEqual(6_000);
	const { record } = await clock.run(failureOf(gateway.submitVideo(video)));
	expect(record.words).toBeUndefined();
});

describe('a request leaves no timer, and nothing that waits for Stop', () => {
	const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
	const chunk = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
	const STREAM = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
	const answers = (status: number, ...packets: string[]) => ({
		status,
		packets: packets.map((packet) => Buffer.from(packet)),
	});
	const OF_CHAT = answers(200, JSON.stringify(COMPLETION));
	const REFUSED = answers(400, '{"code":"invalid_request_error","message":"No","data":null}');

	test.each<[string, object, (gateway: Gateway, signal: AbortSignal) => Promise<unknown>]>([
		['of a chat', OF_CHAT, (gateway, signal) => gateway.chat(chat, signal)],
		[
			'of a stream with more after its end',
			answers(200, STREAM, ': bye\n\n'),
			(gateway, signal) => gateway.chat({ ...chat, stream: true }, signal, () => {}),
		],
		['of a refused request', REFUSED, (gateway, signal) => gateway.submitVideo(video, signal)],
		[
			'of more requests than Max Concurrency',
			OF_CHAT,
			(gateway, signal) => Promise.all(Array.from({ length: 5 }, () => gateway.chat(chat, signal))),
		],
		[
			'of a poll',
			answers(200, JSON.stringify({ id: 'task', status: 'queued' })),
			(gateway, signal) => gateway.getVideoTask('task', signal),
		],
	])('%s', async (_of, answer, send) => {
		const clock = new VirtualClock();
		const { signal } = new AbortController();
		await send(stubbedGateway({ ...answer, clock }), signal).catch(() => {});
		expect(getEventListeners(signal, 'abort')).toEqual([]);
		expect(clock.timers).toBe(0);
	});
});
