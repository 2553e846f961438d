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
	ownLimiter = false,
) =>
	new Gateway(parseCredential({ baseUrl: 'http://service.test', apiKey }), {
		maxConcurrency,
		maxRetries: 4,
		timeoutMs: 300_000,
		skipsQueue: ownLimiter,
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
const window = (requests = 50, windowSeconds = 1): Limit => ({ requests, windowSeconds });

interface Case {
	limit: Limit;
	announced?: number;
	latencyMs?: number;
	maxConcurrency?: number;
	items?: number;
	/** The longest duration allowed, as a multiple of the minimum that the limit dictates. */
	within: number;
	/** How often one request may be refused. */
	refusals?: number;
}

test.each<[string, Case]>([
	['50 a second, no burst, announced', { limit: bucket(1), announced: 50, within: 1.6 }],
	['50 a second, bursts of 10, announced', { limit: bucket(10), announced: 50, within: 1.2 }],
	['50 a second, bursts of 25, announced', { limit: bucket(25), announced: 50, within: 1.15 }],
	['50 a second, bursts of 50, announced', { limit: bucket(50), announced: 50, within: 1.05 }],
	['50 in each second, announced', { limit: window(), announced: 50, within: 1.4 }],
	['50 a second, bursts of 10', { limit: bucket(10), within: 1.2 }],
	['50 a second, bursts of 25', { limit: bucket(25), within: 1.13 }],
	['50 a second, bursts of 50', { limit: bucket(50), within: 1.05 }],
	['50 a second, bursts of 100', { limit: bucket(100), within: 1.05 }],
	['50 in each second', { limit: window(), within: 1.4 }],
	[
		'1,000 in each second, more than eight at a time can send',
		{ limit: window(1_000), items: 9_000, maxConcurrency: 8, within: 2 },
	],
	['60 in each minute', { limit: window(60, 60), within: 1.03 }],
	['60 in each minute, few items', { limit: window(60, 60), items: 300, within: 1.05 }],
	['300 in each minute', { limit: window(300, 60), within: 1.03 }],
	['100 in each 10 seconds', { limit: window(100, 10), within: 1.1 }],
	['bursts of 10, the burst announced', { limit: bucket(10), announced: 10, within: 1.2 }],
	['an announced limit far too high', { limit: bucket(10), announced: 1_000_000, within: 1.2 }],
	['an announced limit far too low', { limit: bucket(50), announced: 1, within: 1.05 }],
	['2 a second', { limit: bucket(2, 2), within: 1.05, refusals: 3 }],
	['5 a second, bursts of 50', { limit: bucket(50, 5), within: 1.05, refusals: 3 }],
	['1 a second', { limit: bucket(1, 1), items: 300, within: 1.12, refusals: 4 }],
	['10 a second, no burst', { limit: bucket(1, 10), items: 300, within: 1.32, refusals: 3 }],
	['20 a second, bursts of 2', { limit: bucket(2, 20), within: 1.14 }],
	['50 a second, bursts of 2', { limit: bucket(2), within: 1.45 }],
	['500 a second', { limit: bucket(500, 500), items: 5_000, maxConcurrency: 20, within: 1.1 }],
	[
		'responses within a second',
		{ limit: bucket(20, 20), latencyMs: 250, maxConcurrency: 30, within: 1.3 },
	],
	[
		'responses within 3 seconds',
		{ limit: bucket(5, 5), latencyMs: 750, maxConcurrency: 50, within: 1.5, refusals: 4 },
	],
])(
	'a batch against a limit (%s) finishes all items in little more than the minimum time',
	async (
		_,
		{ limit, announced, latencyMs, maxConcurrency, within, items = ITEMS, refusals = 2 },
	) => {
		const clock = new VirtualClock();
		const service = new LimitedService({
			clock,
			limit,
			...(announced !== undefined && { announced }),
			...(latencyMs !== undefined && { latencyMs }),
		});
		const start = clock.now();
		await clock.run(batch([gatewayOf(clock, service, randomUUID(), maxConcurrency)], items));
		const ratio = (clock.now() - start) / minimumTime(limit, items);
		expect(ratio).toBeLessThanOrEqual(within);
		expect(ratio).toBeGreaterThanOrEqual(1);
		expect(service.received.filter(({ refused }) => !refused)).toHaveLength(items);
		expect(service.mostRefusals).toBeLessThanOrEqual(refusals);
		expect(clock.timers).toBe(0);
	},
);

/** Milliseconds until the limit accepts the last item at the earliest. */
function minimumTime(limit: Limit, items: number): number {
	if ('burst' in limit) return ((items - limit.burst) / limit.requestsPerSecond) * 1_000;
	return Math.floor((items - 1) / limit.requests) * limit.windowSeconds * 1_000;
}

test('a window that began before the batch does not distort the estimated window', async () => {
	const clock = new VirtualClock();
	const limit = window(60, 60);
	const service = new LimitedService({ clock, limit });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(ask(gateway, 'early'));
	await clock.run(clock.sleep(45_000));
	const start = clock.now();
	await clock.run(batch([gateway], 359));
	// The early request and 59 more in the first minute, then 60 in each.
	expect((clock.now() - start) / 1_000).toBeLessThanOrEqual(15 + 4 * 60 + 10);
	expect(service.received.length).toBeLessThanOrEqual(360 + 25);
});

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

test('an overload within a long window does not slow a batch down for long', async () => {
	const clock = new VirtualClock();
	const limit = window(20, 10);
	let overloads = 0;
	const options = {
		clock,
		limit,
		latencyMs: 5,
		refuses: () => ((overloads -= 1) >= 0 ? ({ status: 503, seconds: 3 } as const) : undefined),
	};
	const service = new LimitedService(options);
	const gateway = gatewayOf(clock, service, randomUUID(), 100);
	await clock.run(batch([gateway], 200));
	options.latencyMs = 1_000;
	overloads = 3;
	const start = clock.now();
	await clock.run(batch([gateway], 600));
	expect((clock.now() - start) / minimumTime(limit, 600)).toBeLessThanOrEqual(1.5);
});

test('finding a limit costs few refused requests', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(50) });
	await clock.run(batch([gatewayOf(clock, service, randomUUID())]));
	expect(service.received.length).toBeLessThanOrEqual(ITEMS + 25);
});

test.each([0.5, 1])('at %d a second, at most one request in six is refused', async (perSecond) => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(1, perSecond) });
	await clock.run(batch([gatewayOf(clock, service, randomUUID())], 200));
	expect(service.received.length).toBeLessThanOrEqual(200 / (1 - 1 / 6));
});

test('refusals that no rate can avoid do not slow a batch down more and more', async () => {
	let requests = 0;
	const clock = new VirtualClock();
	const service = new LimitedService({
		clock,
		limit: bucket(ITEMS, ITEMS),
		refuses: () => ((requests += 1) % 3 === 0 ? { status: 429, seconds: 1 } : undefined),
	});
	const start = clock.now();
	await clock.run(batch([gatewayOf(clock, service, randomUUID())], 100));
	const refusals = service.received.filter(({ refused }) => refused).length;
	expect(refusals).toBeGreaterThan(40);
	expect((clock.now() - start) / 1_000).toBeLessThan(3 * refusals);
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
	expect((clock.now() - start) / minimumTime(bucket(50), ITEMS)).toBeLessThanOrEqual(1.05);
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

test('a limit that is lowered during a batch is respected', async () => {
	const clock = new VirtualClock();
	const limit = { requestsPerSecond: 50, burst: 50 };
	const service = new LimitedService({ clock, limit });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(batch([gateway], 300));
	limit.requestsPerSecond = 10;
	const [start, before] = [clock.now(), service.received.length];
	await clock.run(batch([gateway], 300));
	expect((clock.now() - start) / 1_000).toBeLessThanOrEqual((300 / 10) * 1.1);
	expect(service.received.length - before).toBeLessThanOrEqual(330);
	expect(service.mostRefusals).toBeLessThanOrEqual(2);
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

test.each([
	['50 a second, bursts of 50', bucket(50), 1.25],
	['50 in each second', window(), 1.7],
])(
	'two processes with the same key finish in little more than the minimum time: %s',
	async (_, limit, within) => {
		const clock = new VirtualClock();
		const service = new LimitedService({ clock, limit });
		const apiKey = randomUUID();
		const start = clock.now();
		const processes = [1, 2].map(() => gatewayOf(clock, service, apiKey, 10, true));
		await clock.run(batch(processes));
		expect((clock.now() - start) / minimumTime(limit, ITEMS)).toBeLessThanOrEqual(within);
		expect(service.mostRefusals).toBeLessThanOrEqual(3);
	},
);

const shares: Array<[string, number[]]> = [
	['equal shares', [160, 160, 160]],
	['one finishes early', [200, 200, 80]],
];
const sharedLimits: Array<[string, Limit]> = [
	['4 a second, bursts of 4', bucket(4, 4)],
	['4 a second, bursts of 20', bucket(20, 4)],
	['60 in each minute', window(60, 60)],
];

describe.each(shares)('three processes with the same key: %s', (_, items) => {
	test.each(sharedLimits)(
		'all items are done, in at most 25%% more than the minimum time: %s',
		async (_, limit) => {
			const clock = new VirtualClock();
			const service = new LimitedService({ clock, limit, latencyMs: 5 });
			const start = clock.now();
			const work = items.map(async (count) => {
				const gateway = gatewayOf(clock, service, 'shared-key', 100, true);
				await batch([gateway], count);
			});
			await clock.run(Promise.all(work));
			const total = items.reduce((sum, count) => sum + count, 0);
			expect((clock.now() - start) / minimumTime(limit, total)).toBeLessThanOrEqual(1.25);
			expect(service.received.filter(({ refused }) => !refused)).toHaveLength(total);
		},
	);
});

test('a request that is refused again and again while others are taken waits alone, and its retries count', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({
		clock,
		limit: bucket(1_000),
		refuses: (user) => (user === 'large' ? { status: 429, seconds: 2 } : undefined),
	});
	const gateway = gatewayOf(clock, service, randomUUID(), 1);
	const large = ask(gateway, 'large');
	const start = clock.now();
	let took = 0;
	const others = batch([gateway], 200).then(() => (took = clock.now() - start));
	await clock.run(Promise.allSettled([large, others]));
	await expect(large).rejects.toMatchObject({ status: 429 });
	expect(service.received.filter(({ user }) => user === 'large').length).toBeLessThanOrEqual(6);
	expect(took).toBeLessThan(10_000);
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

test('a limit that is lifted during a batch is noticed', async () => {
	const clock = new VirtualClock();
	const limit = { requestsPerSecond: 10, burst: 10 };
	const service = new LimitedService({ clock, limit, announced: 10 });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(batch([gateway], 200));
	limit.requestsPerSecond = 1_000_000;
	const start = clock.now();
	await clock.run(batch([gateway], 2_000));
	expect((clock.now() - start) / 1000).toBeLessThan(2_000 / 10 / 1.5);
});

describe('a Retry-After that is too long to wait for', () => {
	const hour = { status: 429, seconds: 3_600 } as const;
	const outcomes = async (work: Array<Promise<unknown>>) =>
		(await Promise.allSettled(work)).map((outcome) =>
			outcome.status === 'fulfilled' ? 'done' : (outcome.reason as { retryAfterMs?: number }),
		);

	test('fails all waiting requests of the key at once, without sending them', async () => {
		const clock = new VirtualClock();
		const service = new LimitedService({ clock, limit: bucket(1_000), refuses: () => hour });
		const gateway = gatewayOf(clock, service, randomUUID());
		const start = clock.now();
		const work = Array.from({ length: 100 }, async (_, item) => ask(gateway, `${item}`));
		for (const outcome of await clock.run(outcomes(work)))
			expect(outcome).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
		expect(clock.now() - start).toBeLessThan(100);
		expect(service.received).toHaveLength(10);
		expect(clock.timers).toBe(0);
	});

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

	test('is over after the time that the service asked for', async () => {
		const clock = new VirtualClock();
		let requests = 0;
		const service = new LimitedService({
			clock,
			limit: bucket(1_000),
			refuses: () => ((requests += 1) === 1 ? hour : undefined),
		});
		const gateway = gatewayOf(clock, service, randomUUID());
		await clock.run(outcomes([ask(gateway, 'first')]));
		await clock.run(clock.sleep(3_600_000));
		const sentAt = clock.now();
		await clock.run(batch([gateway], 10));
		expect(clock.now() - sentAt).toBeLessThanOrEqual(8);
	});
});

describe('a service that refuses with 503, as nginx does by default', () => {
	afterEach(() => jest.restoreAllMocks());

	test.each([1, 2, 6, 10, 20])(
		'finishes a batch in little more than the minimum time: bursts of %d at 10 a second',
		async (burst) => {
			// The longest pauses, so that every run is the same.
			jest.spyOn(Math, 'random').mockReturnValue(1 - 1e-9);
			const clock = new VirtualClock();
			const limit = bucket(burst, 10);
			const service = new LimitedService({ clock, limit, overLimit: { status: 503 } });
			const start = clock.now();
			await clock.run(batch([gatewayOf(clock, service, randomUUID())], 300));
			expect((clock.now() - start) / minimumTime(limit, 300)).toBeLessThanOrEqual(1.3);
			expect(service.mostRefusals).toBeLessThanOrEqual(3);
		},
	);

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

	test('fails a batch as soon as its retries are used up, without longer and longer pauses', async () => {
		const clock = new VirtualClock();
		const service = new LimitedService({
			clock,
			limit: bucket(1_000),
			refuses: () => ({ status: 503 }),
		});
		const start = clock.now();
		const gateway = gatewayOf(clock, service, randomUUID());
		const work = Array.from({ length: 100 }, async (_, item) => ask(gateway, `${item}`));
		await clock.run(Promise.allSettled(work));
		// Ten at a time, five attempts each.
		expect((clock.now() - start) / 1_000).toBeLessThan(10 * (0.5 + 1 + 2 + 4 + 8));
		expect(service.received).toHaveLength(500);
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
