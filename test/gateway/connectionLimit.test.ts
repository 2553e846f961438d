import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Gateway, type GatewayOptions, parseCredential, StreamedBody } from '../../gateway';
import { RawServer, rawResponse } from '../engine/rawServer';
import { failureOf } from './stubbedGateway';
import { until } from '../engine/virtualTime';
import { VirtualClock } from './virtualClock';

const video = { model: 'kite-motion', prompt: 'A boat' };
const SUBMISSION = Buffer.from(
	JSON.stringify({ id: 'r', data: [{ id: 'task', status: 'processing' }] }),
);
let services = 0;

/** Three executions of 100 items, each with the highest Max Concurrency. */
function threeExecutions(baseUrl: string, options: Partial<GatewayOptions> = {}) {
	const credential = parseCredential({ baseUrl, apiKey: 'key-of-tests' });
	return [1, 2, 3].flatMap(() => {
		const gateway = new Gateway(credential, {
			maxConcurrency: 100,
			maxRetries: 0,
			timeoutMs: 60_000,
			...options,
		});
		return Array.from({ length: 100 }, () => gateway.submitVideo(video));
	});
}

test('waiting for a free connection does not count towards Timeout', async () => {
	const clock = new VirtualClock();
	let inFlight = 0;
	let peak = 0;
	const transport: GatewayOptions['transport'] = async ({ onWritten }) => {
		peak = Math.max(peak, (inFlight += 1));
		onWritten();
		await clock.sleep(50_000);
		inFlight -= 1;
		return { status: 200, headers: {}, body: new StreamedBody(Readable.from([SUBMISSION])) };
	};
	const work = threeExecutions(`http://slow-${(services += 1)}.test`, { clock, transport });
	const submissions = await clock.run(Promise.all(work));
	expect(submissions).toHaveLength(300);
	expect(peak).toBe(256);
});

test('a process opens at most 256 connections to a service, and requests beyond that wait', async () => {
	const open: ServerResponse[] = [];
	let peak = 0;
	const server = createServer((request, response) => {
		request.resume();
		open.push(response);
		peak = Math.max(peak, open.length);
		if (open.length < 256 && peak < 256) return;
		for (const waiting of open.splice(0)) waiting.end(SUBMISSION);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	expect(await Promise.all(threeExecutions(`http://127.0.0.1:${port}`))).toHaveLength(300);
	server.closeAllConnections();
	server.close();
	expect(peak).toBe(256);
});

test('requests that wait for a connection are not sent once the key is suspended', async () => {
	const apiKey = 'key-of-tests';
	const baseUrl = `http://suspending-${(services += 1)}.test`;
	const inFlight: Array<(status: number) => void> = [];
	const gateway = new Gateway(parseCredential({ baseUrl, apiKey }), {
		maxConcurrency: 300,
		maxRetries: 0,
		timeoutMs: 60_000,
		clock: new VirtualClock(),
		transport: async ({ onWritten }) => {
			onWritten();
			const status = await new Promise<number>((resolve) => inFlight.push(resolve));
			const headers = { 'retry-after': '3600' };
			return { status, headers, body: new StreamedBody(Readable.from([SUBMISSION])) };
		},
	});
	const work = Array.from({ length: 300 }, () => gateway.submitVideo(video));
	const outcomes = Promise.allSettled(work);
	await until(() => inFlight.length === 256);
	inFlight[0]?.(429);
	await failureOf(work[0]!);
	for (const respond of inFlight.slice(1)) respond(200);
	const failures = (await outcomes).filter(({ status }) => status === 'rejected');
	expect(failures).toHaveLength(45);
	expect(inFlight).toHaveLength(256);
	const next = gateway.submitVideo(video);
	await until(() => inFlight.length === 257);
	inFlight[256]?.(200);
	expect(await next).toBeDefined();
});

describe('a connection that was used before', () => {
	const service = new RawServer();
	beforeEach(async () => await service.listen());
	afterEach(async () => {
		jest.restoreAllMocks();
		await service.close();
	});

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
			return rawResponse('200 OK', JSON.stringify(request.startsWith('POST') ? answer : task));
		};
		const gateway = new Gateway(parseCredential({ baseUrl: service.url, apiKey: 'key-of-tests' }), {
			maxConcurrency: 1,
			maxRetries: 0,
			timeoutMs: 60_000,
			// The timers that are left are those of undici.
			clock: new VirtualClock(),
		});
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
		const gateway = new Gateway(
			parseCredential({ baseUrl: `http://far-${(services += 1)}.test`, apiKey: 'key-of-tests' }),
			{
				maxConcurrency: 1,
				maxRetries: 0,
				timeoutMs,
				clock,
				transport: async ({ whenGivenUp }) =>
					await new Promise((_resolve, reject) => {
						whenGivenUp(() => reject(new Error('given up')));
					}),
			},
		);
		const error = await clock.run(failureOf(gateway.submitVideo(video)));
		expect(error).toMatchObject({ code: 'connect_timeout', mayHaveBeenAccepted: false });
		expect(clock.now() - start).toBe(expectedMs);
	},
);

test.each([
	['cancelled before a connection takes it was not accepted', false],
	['cancelled after a connection took it may have been accepted', true],
])('a request %s', async (_when, isWritten) => {
	const stop = new AbortController();
	const gateway = new Gateway(
		parseCredential({ baseUrl: `http://stopped-${(services += 1)}.test`, apiKey: 'key-of-tests' }),
		{
			maxConcurrency: 1,
			maxRetries: 0,
			timeoutMs: 60_000,
			transport: async ({ onWritten, whenGivenUp }) => {
				if (isWritten) onWritten();
				return await new Promise((_resolve, reject) => {
					whenGivenUp(() => reject(new Error('given up')));
					stop.abort();
				});
			},
		},
	);
	const error = await failureOf(gateway.submitVideo(video, stop.signal));
	expect(error).toMatchObject({ code: 'cancelled', mayHaveBeenAccepted: isWritten });
});
