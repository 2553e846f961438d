import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Gateway, parseCredential } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';
import type { SimulatorOptions } from '../../simulator';
import { until } from '../clock/until';
import { LimitedService } from './limitedService';
import { VirtualClock } from '../clock/virtualClock';

const ITEMS = 1_000;

const gatewayOf = (
	clock: VirtualClock,
	service: LimitedService,
	apiKey: string,
	maxConcurrency = 10,
) =>
	new Gateway(parseCredential({ baseUrl: 'http://service.test', apiKey }), {
		maxConcurrency,
		maxRetries: 4,
		timeoutMs: 300_000,
		clock,
		transport: service.transport,
	});

const ask = async (gateway: Gateway, user: string) =>
	await gateway.chat({ model: 'heron-chat', messages: [{ role: 'user', content: 'Hi' }], user });

async function batch(gateways: Gateway[], items = ITEMS) {
	await Promise.all(
		Array.from({ length: items }, async (_, item) => {
			await ask(gateways[item % gateways.length]!, `${item}`);
		}),
	);
}

type Limit = NonNullable<SimulatorOptions['rateLimit']>;
const bucket = (burst: number, requestsPerSecond = 50): Limit => ({ requestsPerSecond, burst });

test.each([5, 1_000, 3_000])(
	'a long window that starts to accept more requests is noticed, with a latency of %d ms',
	async (latencyMs) => {
		const clock = new VirtualClock();
		const limit = { requests: 20, windowSeconds: 10 };
		const options = { clock, limit, latencyMs: 5 };
		const service = new LimitedService(options);
		const gateway = gatewayOf(clock, service, randomUUID(), 100);
		await clock.run(batch([gateway], 200));
		limit.requests = 2_000;
		options.latencyMs = latencyMs;
		const start = clock.now();
		await clock.run(batch([gateway], 600));
		expect((clock.now() - start) / 1_000).toBeLessThan((600 / 20) * 10 * 0.5);
	},
);

test('a long window that starts to accept fewer requests is respected', async () => {
	const clock = new VirtualClock();
	const limit = { requests: 60, windowSeconds: 10 };
	const service = new LimitedService({ clock, limit });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(batch([gateway], 300));
	limit.requests = 20;
	const [start, before] = [clock.now(), service.received.length];
	await clock.run(batch([gateway], 400));
	expect((clock.now() - start) / 1_000).toBeLessThanOrEqual((400 / 20) * 10 * 1.1);
	// 40 more than the lower limit at first, then about two tries for more in each of 20 windows.
	expect(service.received.length - before).toBeLessThanOrEqual(400 + 40 + 40);
	expect(service.mostRefusals).toBeLessThanOrEqual(3);
});

test('after a pause, the requests that the service can accept by then are sent at once', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(50) });
	await clock.run(batch([gatewayOf(clock, service, randomUUID())], 200));
	const refusedAt = service.received.find(({ refused }) => refused)!.at;
	const sentAfter = (from: number, to: number) =>
		service.received.filter(({ at }) => at > refusedAt + from && at <= refusedAt + to).length;
	// Retry-After is one second, in which the service gains capacity for 50 requests.
	expect(sentAfter(50, 1_000)).toBe(0);
	expect(sentAfter(1_000, 1_200)).toBeGreaterThan(40);
});

test('a slow start does not lower the estimate of the burst that the service accepts', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(50) });
	const apiKey = randomUUID();
	for (let item = 0; item < 20; item += 1) {
		await clock.run(ask(gatewayOf(clock, service, apiKey), `early ${item}`));
		await clock.run(clock.sleep(50));
	}
	const start = clock.now();
	await clock.run(batch([gatewayOf(clock, service, apiKey)]));
	expect((clock.now() - start) / (((ITEMS - 50) / 50) * 1_000)).toBeLessThanOrEqual(1.05);
	expect(service.received.length).toBeLessThanOrEqual(20 + ITEMS + 25);
});

test('while a service refuses everything, it gets few requests, and later as many as before', async () => {
	const clock = new VirtualClock();
	const limit = { requestsPerSecond: 50, burst: 50 };
	const service = new LimitedService({ clock, limit });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(batch([gateway], 300));
	limit.burst = 0;
	const before = service.received.length;
	const work = batch([gateway], 300);
	await clock.run(clock.sleep(3_500));
	expect(service.received.length - before).toBeLessThanOrEqual(40);
	limit.burst = 50;
	const start = clock.now();
	await clock.run(work);
	expect((clock.now() - start) / 1_000).toBeLessThan(300 / 50 + 3);
});

test('a limit of one request in two minutes is not forgotten between requests', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: { requestsPerSecond: 1 / 120, burst: 1 } });
	await clock.run(batch([gatewayOf(clock, service, randomUUID(), 2)], 20));
	expect(service.received.length).toBeLessThanOrEqual(30);
	expect(service.mostRefusals).toBeLessThanOrEqual(3);
});

test('two executions with the same key share its limit', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(10), announced: 50 });
	const apiKey = randomUUID();
	const start = clock.now();
	const gateways = [gatewayOf(clock, service, apiKey), gatewayOf(clock, service, apiKey)];
	await clock.run(batch(gateways));
	expect((clock.now() - start) / 1000 / 19.8).toBeLessThanOrEqual(1.2);
	expect(service.received.length).toBeLessThanOrEqual(ITEMS + 35);
});

test('a rate-limited key does not slow down another key', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(10), announced: 50 });
	const [busy, calm] = [randomUUID(), randomUUID()];
	const batchOfBusy = batch([gatewayOf(clock, service, busy)]);
	await clock.run(clock.sleep(5_000));
	const sentAt = clock.now();
	await clock.run(ask(gatewayOf(clock, service, calm), 'calm'));
	expect(clock.now() - sentAt).toBeLessThanOrEqual(8);
	await clock.run(batchOfBusy);
	const refusedKeys = service.received.filter(({ refused }) => refused).map(({ key }) => key);
	expect(new Set(refusedKeys)).toEqual(new Set([`Bearer ${busy}`]));
});

test('no request is sent during a Retry-After of a minute', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: { requests: 60, windowSeconds: 60 } });
	await clock.run(batch([gatewayOf(clock, service, randomUUID())], 150));
	const times = service.received.map(({ at }) => at);
	const pauses = times.slice(1).map((at, index) => at - times[index]!);
	expect(pauses.filter((pause) => pause > 55_000)).toHaveLength(2);
	expect(service.mostRefusals).toBeLessThanOrEqual(2);
});

test('with a tiny Retry-After the retries are still spread out', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({
		clock,
		limit: bucket(1_000),
		refuses: () => ({ status: 429, seconds: 0.001 }),
	});
	const work = ask(gatewayOf(clock, service, randomUUID()), 'hasty');
	await expect(clock.run(work)).rejects.toMatchObject({ code: 'refused' });
	expect(service.received).toHaveLength(5);
	expect(service.received[4]!.at - service.received[0]!.at).toBeGreaterThanOrEqual(1_000);
});

test('a limit is forgotten after an idle minute', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(10), announced: 50 });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(batch([gateway], 100));
	await clock.run(clock.sleep(61_000));
	const start = clock.now();
	await clock.run(batch([gateway], 10));
	expect(clock.now() - start).toBeLessThanOrEqual(8);
});

describe('a Retry-After that is too long to wait for', () => {
	const hour = { status: 429, seconds: 3_600 } as const;
	const outcomes = async (work: Array<Promise<unknown>>) =>
		(await Promise.allSettled(work)).map((outcome) =>
			outcome.status === 'fulfilled' ? 'done' : (outcome.reason as { retryAfterMs?: number }),
		);

	test('fails requests that wait for the rate, too', async () => {
		const clock = new VirtualClock();
		let requests = 0;
		const service = new LimitedService({
			clock,
			limit: bucket(1, 2),
			refuses: () => ((requests += 1) > 20 ? hour : undefined),
		});
		const gateway = gatewayOf(clock, service, randomUUID());
		const work = Array.from({ length: 100 }, async (_, item) => ask(gateway, `${item}`));
		const found = await clock.run(outcomes(work));
		expect(found.filter((outcome) => outcome === 'done').length).toBeGreaterThan(5);
		expect(service.received.length).toBeLessThanOrEqual(21 + 9);
		expect(clock.timers).toBe(0);
	});

	test('sends later requests one at a time until one succeeds', async () => {
		const clock = new VirtualClock();
		let isLimited = true;
		const service = new LimitedService({
			clock,
			limit: bucket(1_000),
			refuses: () => (isLimited ? hour : undefined),
		});
		const gateway = gatewayOf(clock, service, randomUUID());
		await clock.run(outcomes([ask(gateway, 'first')]));
		const sequential = Array.from({ length: 20 }, async (_, item) => ask(gateway, `${item}`));
		await clock.run(outcomes(sequential));
		expect(service.received).toHaveLength(2);
		isLimited = false;
		const start = clock.now();
		await clock.run(batch([gateway], 20));
		expect(clock.now() - start).toBeLessThan(100);
		expect(service.received).toHaveLength(22);
	});

	test('lets the next request probe if a probe is cancelled', async () => {
		const clock = new VirtualClock();
		let isLimited = true;
		const service = new LimitedService({
			clock,
			limit: bucket(1_000),
			refuses: () => (isLimited ? hour : undefined),
		});
		const gateway = gatewayOf(clock, service, randomUUID());
		await clock.run(outcomes([ask(gateway, 'first')]));
		isLimited = false;
		const stop = new AbortController();
		const probe = gateway.chat(
			{ model: 'heron-chat', messages: [{ role: 'user', content: 'Hi' }] },
			stop.signal,
		);
		const behind = ask(gateway, 'behind');
		const both = outcomes([probe, behind]);
		await clock.run(clock.sleep(0));
		stop.abort();
		await clock.run(both);
		await expect(probe).rejects.toMatchObject({ code: 'cancelled' });
		await expect(behind).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
		await clock.run(ask(gateway, 'next'));
	});

	test('sends what waits behind a probe without a response when it is over', async () => {
		const clock = new VirtualClock();
		const refuse: Array<() => void> = [];
		const gateway = new Gateway(
			parseCredential({ baseUrl: 'http://service.test', apiKey: randomUUID() }),
			{
				maxConcurrency: 10,
				maxRetries: 0,
				timeoutMs: 7_200_000,
				clock,
				transport: async () => {
					await new Promise<void>((resolve) => refuse.push(resolve));
					const headers = { 'retry-after': '3600' };
					return { status: 429, headers, body: new StreamedBody(Readable.from([])) };
				},
			},
		);
		const sent = async (user: string) => {
			const number = refuse.length;
			const work = outcomes([ask(gateway, user)]);
			await until(() => refuse.length > number);
			return { work, refuse: refuse[number]! };
		};
		const first = await sent('first');
		first.refuse();
		await first.work;
		const probe = await sent('probe');
		const behind = outcomes([ask(gateway, 'behind')]);
		expect(refuse).toHaveLength(2);
		await clock.run(clock.sleep(3_600_000));
		await until(() => refuse.length === 3);
		refuse[2]!();
		probe.refuse();
		for (const [outcome] of [await probe.work, await behind])
			expect(outcome).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
	});
});

describe('a service that refuses with 503, as nginx does by default', () => {
	afterEach(() => jest.restoreAllMocks());

	test('uses up the retries of a request, even while other requests succeed', async () => {
		const clock = new VirtualClock();
		const service = new LimitedService({
			clock,
			limit: bucket(1_000),
			refuses: (user) => (user === 'unlucky' ? { status: 503 } : undefined),
		});
		const gateway = gatewayOf(clock, service, randomUUID());
		const unlucky = ask(gateway, 'unlucky');
		await clock.run(Promise.allSettled([unlucky, batch([gateway], 200)]));
		await expect(unlucky).rejects.toMatchObject({ status: 503 });
		expect(service.received.filter(({ user }) => user === 'unlucky')).toHaveLength(5);
	});

	test('sets the pause with Retry-After', async () => {
		const clock = new VirtualClock();
		let requests = 0;
		const service = new LimitedService({
			clock,
			limit: bucket(1_000),
			refuses: () => ((requests += 1) === 1 ? { status: 503, seconds: 7 } : undefined),
		});
		await clock.run(ask(gatewayOf(clock, service, randomUUID()), 'late'));
		const [first, second] = service.received;
		expect(second!.at - first!.at).toBeGreaterThanOrEqual(7_000);
	});
});
