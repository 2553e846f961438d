import { randomUUID } from 'node:crypto';
import { Gateway, parseConnection } from '../../gateway';
import type { SimulatorOptions } from '../../simulator';
import { LimitedService } from './limitedService';
import { VirtualClock } from './virtualClock';

const ITEMS = 1_000;

const gatewayOf = (clock: VirtualClock, service: LimitedService, apiKey: string, workers = 10) =>
	new Gateway(parseConnection({ baseUrl: 'http://service.test', apiKey }), {
		maxConcurrency: workers,
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
const bucket = (burst: number): Limit => ({ requestsPerSecond: 50, burst });
const window: Limit = { requests: 50, windowSeconds: 1 };

// The time that the limit itself asks for, and how much more than that the gate may need.
test.each<[string, Limit, number | undefined, number, number]>([
	['50 a second, bursts of 10, announced', bucket(10), 50, 19.8, 1.15],
	['50 a second, bursts of 25, announced', bucket(25), 50, 19.5, 1.17],
	['50 a second, bursts of 50, announced', bucket(50), 50, 19, 1.1],
	['50 in each second, announced', window, 50, 19, 1.15],
	['50 a second, no burst, announced', bucket(1), 50, 20, 1.6],
	['50 a second, bursts of 10, not announced', bucket(10), undefined, 19.8, 1.3],
	['50 a second, bursts of 10, the burst announced', bucket(10), 10, 19.8, 1.3],
	['50 a second, bursts of 50, not announced', bucket(50), undefined, 19, 1.15],
	['50 in each second, not announced', window, undefined, 19, 1.15],
])(
	'1,000 items against %s: all are done, near the time of the limit itself',
	async (_, limit, announced, seconds, goal) => {
		const clock = new VirtualClock();
		const service = new LimitedService({
			clock,
			limit,
			...(announced !== undefined && { announced }),
		});
		const start = clock.now();
		await clock.run(batch([gatewayOf(clock, service, randomUUID())]));
		expect((clock.now() - start) / 1000 / seconds).toBeLessThanOrEqual(goal);
		expect((clock.now() - start) / 1000).toBeGreaterThanOrEqual(seconds);
		expect(service.received.filter(({ refused }) => !refused)).toHaveLength(ITEMS);
		// Ten were under way when the limit was first met; hardly another had to be refused to find it.
		expect(service.received.length).toBeLessThanOrEqual(ITEMS + 25);
		expect(service.mostRefusals).toBeLessThanOrEqual(2);
		expect(clock.timers).toBe(0);
	},
);

test('nodes and executions with one key share its limit: two together need no more refusals than one', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(10), announced: 50 });
	const apiKey = randomUUID();
	const start = clock.now();
	const gateways = [gatewayOf(clock, service, apiKey), gatewayOf(clock, service, apiKey)];
	await clock.run(batch(gateways));
	expect((clock.now() - start) / 1000 / 19.8).toBeLessThanOrEqual(1.15);
	expect(service.received.length).toBeLessThanOrEqual(ITEMS + 35);
});

test('a key whose limit is reached does not slow down another key', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(10), announced: 50 });
	const [busy, calm] = [randomUUID(), randomUUID()];
	const batchOfBusy = batch([gatewayOf(clock, service, busy)]);
	await clock.run(clock.sleep(5_000));
	const asked = clock.now();
	await clock.run(ask(gatewayOf(clock, service, calm), 'calm'));
	expect(clock.now() - asked).toBeLessThanOrEqual(8);
	await clock.run(batchOfBusy);
	const refusedKeys = service.received.filter(({ refused }) => refused).map(({ key }) => key);
	expect(new Set(refusedKeys)).toEqual(new Set([`Bearer ${busy}`]));
});

test('a service that asks for a minute gets a minute without a single request', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: { requests: 60, windowSeconds: 60 } });
	await clock.run(batch([gatewayOf(clock, service, randomUUID())], 150));
	const times = service.received.map(({ at }) => at);
	const pauses = times.slice(1).map((at, index) => at - times[index]!);
	expect(pauses.filter((pause) => pause > 55_000)).toHaveLength(2);
	expect(service.mostRefusals).toBeLessThanOrEqual(2);
});

test('a limit is forgotten after a quiet minute: the next batch starts at once', async () => {
	const clock = new VirtualClock();
	const service = new LimitedService({ clock, limit: bucket(10), announced: 50 });
	const gateway = gatewayOf(clock, service, randomUUID());
	await clock.run(batch([gateway], 100));
	await clock.run(clock.sleep(61_000));
	const start = clock.now();
	await clock.run(batch([gateway], 10));
	expect(clock.now() - start).toBeLessThanOrEqual(8);
});

test('a limit that is lifted in the middle of a batch is noticed', async () => {
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
