import { readFileSync } from 'node:fs';
import { groups } from './limitScenarios/scenarios';
import { play } from './limitScenarios/play';
import { PAGE, readResults, type Results, summaryOf, withTable } from './limitScenarios/table';

let results: Results;
beforeAll(async () => {
	results = {};
	for (const [group, { scenarios }] of Object.entries(groups)) {
		const outcomes: Results[string] = (results[group] = {});
		for (const [name, one] of Object.entries(scenarios)) outcomes[name] = await play(one);
	}
}, 300_000);

const outcomesOf = (group: keyof typeof groups) => Object.entries(results[group] ?? {});
const summary = (group: keyof typeof groups) => summaryOf(Object.values(results[group] ?? {}));

test('a batch against a rate takes at most 13% more than the shortest time on average, 55% at worst', () => {
	expect(summary('rates').mean).toBeLessThanOrEqual(1.13);
	expect(summary('rates').worst).toBeLessThanOrEqual(1.55);
});

test('refusals at random take at most 80% more time, in a node at most double the time of all its requests, and fail no item', () => {
	const atRandom = outcomesOf('randomRefusals').filter(([name]) => /at random(?!, and)/.test(name));
	expect(atRandom.length).toBeGreaterThan(5);
	for (const [name, { ratio, failed }] of atRandom) {
		const part = Number(/^(\d+)%/.exec(name)?.[1]) / 100;
		expect(ratio).toBeLessThanOrEqual(name.includes('in a node') ? 2 / (1 - part) : 1.8);
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

test.each([
	['200 chats and 60 videos, 10/s for the key', 1.35],
	['200 chats and 60 videos, 10/s for the key, no burst', 1.42],
	['600 chats with 2 models, 10/s for the key, no burst', 1.29],
	['200 chats and 60 videos, 60 in each minute for the key', 1.26],
	['200 chats and 60 videos, the pause of the key grows', 1.29],
])('%s: at most 20%% more than one limiter for the key, which was measured at %d', (name, one) => {
	expect(results.scopes?.[name]?.ratio).toBeLessThanOrEqual(1.2 * one);
});

test('several processes share a limit without loss', () => {
	expect(summary('processes').mean).toBeLessThanOrEqual(1.1);
	expect(summary('processes').failed).toBe(0);
});

test('the page shows the latest results, of all limits', () => {
	const page = readFileSync(PAGE, 'utf8');
	expect(withTable(page, readResults())).toBe(page);
	for (const [group, { scenarios }] of Object.entries(groups))
		expect(Object.keys(readResults()[group] ?? {})).toEqual(Object.keys(scenarios));
});
