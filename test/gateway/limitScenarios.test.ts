import { readFileSync } from 'node:fs';
import { groups } from './limitScenarios/scenarios';
import { play } from './limitScenarios/play';
import { PAGE, readResults, type Results, summaryOf, withTable } from './limitScenarios/table';

let results: Results;
beforeAll(async () => {
	results = {};
	for (const [group, { scenarios }] of Object.entries(groups)) {
		const outcomes: Results[string] = (results[group] = {});
		for (const [name, one] of Object.entries(scenarios)) outcomes[name] = await play(one, 1);
	}
}, 300_000);

const outcomesOf = (group: keyof typeof groups) => Object.entries(results[group] ?? {});
const summary = (group: keyof typeof groups) => summaryOf(Object.values(results[group] ?? {}));

test('a batch against a rate takes at most 20% more than the shortest time on average, twice as long at worst', () => {
	expect(summary('rates').mean).toBeLessThanOrEqual(1.2);
	expect(summary('rates').worst).toBeLessThanOrEqual(2);
});

test('refusals at random at most double the time, in a node that of all its requests, and fail no item', () => {
	const atRandom = outcomesOf('randomRefusals').filter(([name]) => /at random(?!, and)/.test(name));
	expect(atRandom.length).toBeGreaterThan(5);
	for (const [name, { ratio, failed }] of atRandom) {
		const part = Number(/^(\d+)%/.exec(name)?.[1]) / 100;
		expect(ratio).toBeLessThanOrEqual(name.includes('in a node') ? 2 / (1 - part) : 2);
		expect(failed).toBe(0);
	}
});

test('replicas that each have a share of a limit at most double the time of a batch, and fail no item', () => {
	const replicas = outcomesOf('randomRefusals').filter(([name]) => name.includes('replicas'));
	expect(replicas.length).toBeGreaterThan(2);
	for (const [, { ratio, failed }] of replicas) {
		expect(ratio).toBeLessThanOrEqual(2);
		expect(failed).toBe(0);
	}
});

test('a limit of what is in flight fails no item', () => {
	expect(summary('concurrency').failed).toBe(0);
	expect(summary('concurrency').mean).toBeLessThanOrEqual(1.35);
});

test('scopes of one key share its limit', () => {
	const { mean, worst } = summary('scopes');
	expect(mean).toBeLessThanOrEqual(1.35);
	expect(worst).toBeLessThanOrEqual(1.9);
});

test('limits that change or punish fail no item, and a faster one is used', () => {
	expect(summary('changing').mean).toBeLessThanOrEqual(1.35);
	expect(summary('changing').failed).toBe(0);
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

test('several processes share a limit without loss', () => {
	expect(summary('processes').mean).toBeLessThanOrEqual(1.05);
	expect(summary('processes').worst).toBeLessThanOrEqual(1.15);
	expect(summary('processes').failed).toBe(0);
});

test('the page shows the latest results, of all limits', () => {
	const page = readFileSync(PAGE, 'utf8');
	expect(withTable(page, readResults())).toBe(page);
	for (const [group, { scenarios }] of Object.entries(groups))
		expect(Object.keys(readResults()[group] ?? {})).toEqual(Object.keys(scenarios));
});
