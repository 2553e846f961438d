import type { groups } from './limitScenarios/scenarios';
import { play } from './limitScenarios/play';
import { inFlight, slidingWindow } from './limitScenarios/rules';
import { playAll, type Results, summaryOf } from './limitScenarios/table';

let results: Results;
beforeAll(async () => void (results = await playAll(1)), 300_000);

const outcomesOf = (group: keyof typeof groups) => Object.entries(results[group] ?? {});

test.each<[keyof typeof groups, { mean: number; worst?: number; failed?: number }]>([
	['rates', { mean: 1.2, worst: 2 }],
	['concurrency', { mean: 1.4, failed: 0 }],
	['scopes', { mean: 1.35, worst: 1.7 }],
	['changing', { mean: 1.25, failed: 0 }],
	['processes', { mean: 1.2, worst: 1.6, failed: 0 }],
])(
	'%s: the time of a batch compared with the shortest, and its failed items: at most %j',
	(...row) => {
		const [group, { mean, worst = Infinity, failed = Infinity }] = row;
		const found = summaryOf(Object.values(results[group] ?? {}));
		expect(found.mean).toBeLessThanOrEqual(mean);
		expect(found.worst).toBeLessThanOrEqual(worst);
		expect(found.failed).toBeLessThanOrEqual(failed);
	},
);

test('a service that limits what is in flight refuses no item of a batch again and again', () => {
	for (const [, { mostRefused }] of outcomesOf('concurrency'))
		expect(mostRefused).toBeLessThanOrEqual(20);
});

test('where the number in flight is limited, the limiter keeps to it: at most 80 requests of a batch are refused', () => {
	expect(outcomesOf('concurrency')).toHaveLength(5);
	for (const [, { refused }] of outcomesOf('concurrency')) expect(refused).toBeLessThanOrEqual(80);
});

test('refusals at random cost a batch at most three times the time of all its requests, and no item', () => {
	const atRandom = outcomesOf('randomRefusals').filter(([name]) => /at random(?!, and)/.test(name));
	expect(atRandom.length).toBeGreaterThan(5);
	for (const [name, { ratio, failed }] of atRandom) {
		const part = Number(/^(\d+)%/.exec(name)?.[1]) / 100;
		expect(ratio).toBeLessThanOrEqual(3 / (1 - part));
		expect(failed).toBe(0);
	}
});

test('replicas that each have a share of a limit cost a batch at most two and a half times its shortest time, and no item', () => {
	const replicas = outcomesOf('randomRefusals').filter(([name]) => name.includes('replicas'));
	expect(replicas.length).toBeGreaterThan(2);
	for (const [, { ratio, failed }] of replicas) {
		expect(ratio).toBeLessThanOrEqual(2.5);
		expect(failed).toBe(0);
	}
});

test('a request that is too large delays the others by one pause', () => {
	const found = outcomesOf('otherRefusals').filter(([name]) => name.includes('too large'));
	expect(found).toHaveLength(3);
	for (const [name, { seconds, mostRefused, failed }] of found) {
		const items = name.includes('1,000') ? 1_000 : 200;
		expect(seconds).toBeLessThan(items / 10 + Number(name.split(' ').at(-1)) + 20);
		expect(mostRefused).toBeLessThanOrEqual(6);
		expect(failed).toBe(1);
	}
});

test('while a service takes nothing, an item is sent at most five times, and a batch ends within minutes', () => {
	const found = outcomesOf('otherRefusals').filter(([name]) => /^(all of|a quota)/.test(name));
	expect(found).toHaveLength(6);
	for (const [, { seconds, mostRefused }] of found) {
		expect(mostRefused).toBeLessThanOrEqual(5);
		expect(seconds).toBeLessThan(400);
	}
});

test('a window that does not tell the pause loses no item', () => {
	const found = outcomesOf('otherRefusals').filter(([name]) => name.includes('each minute'));
	expect(found).toHaveLength(4);
	for (const [, { ratio, failed }] of found) {
		expect(failed).toBe(0);
		expect(ratio).toBeLessThanOrEqual(1.35);
	}
});

test('an outage of up to a minute loses at most the items in flight, and one for good takes no longer than all retries', () => {
	for (const [name, { ratio, failed }] of outcomesOf('outages')) {
		if (/^\d/.test(name)) expect(failed).toBeLessThanOrEqual(10);
		expect(ratio).toBeLessThanOrEqual(name.startsWith('never there, 503') ? 2.8 : 1.35);
	}
});

test('the last chat of a batch waits for a window whose end is not told', async () => {
	const { failed } = await play({
		limit: () => slidingWindow(8, 15),
		batches: [{ kind: 'chat', items: 49, maxConcurrency: 10 }],
		minimum: 90,
		service: { latencyMs: 100, jitter: 0.5, workMs: 1_000, saysRetryAfter: false },
	});
	expect(failed).toBe(0);
});

test.each([1, 2])(
	'a node that sends three at once loses no chat where the service takes %j at a time',
	async (places) => {
		const { failed } = await play({
			limit: () => inFlight(places),
			batches: [{ kind: 'chat', items: 40, maxConcurrency: 3, inNode: true }],
			minimum: 800 / places,
			service: { latencyMs: 20, jitter: 0.5, workMs: 20_000 },
		});
		expect(failed).toBe(0);
	},
);
