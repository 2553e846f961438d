import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckReport } from './checkReport';
import { scenarioOf, playScenario } from './hunt';
import { knownSeeds } from './knownSeeds';
import { type Scenario, scenario as scenarioSchema } from './scenario/schema';
import { allOf } from './report';

/** Scenarios that `npm test` plays: the first of those that CI plays. */
const FIXED_SEEDS = 100;
/** How many of them are played twice. */
const PLAYED_TWICE = 20;

const FOUND = join(__dirname, 'found');

/** Plays the seeds from 1 on, and all scenarios that were found. */
export async function check(count = FIXED_SEEDS): Promise<CheckReport> {
	const seeds: CheckReport['seeds'] = {};
	const unlike: string[] = [];
	let requests = 0;
	for (let seed = 1; seed <= count; seed += 1) {
		const { played, broken } = await playScenario(scenarioOf(seed));
		requests += played.truth.requests.length;
		if (broken.length > 0) seeds[seed] = broken.map(({ promise }) => promise);
		if (seed > PLAYED_TWICE) continue;
		const again = await playScenario(scenarioOf(seed));
		const [one, other] = [allOf(played), allOf(again.played)];
		const difference = one.findIndex((line, index) => line !== other[index]);
		if (one.length !== other.length || difference >= 0)
			unlike.push(`${seed}: ${one[difference]} / ${other[difference]}`);
	}
	const found: CheckReport['found'] = [];
	for (const { name, scenario } of foundScenarios()) {
		const { broken } = await playScenario(scenario);
		const { breaks } = scenario;
		const expected = breaks === undefined ? {} : { expected: breaks };
		found.push({ name, ...expected, broken: broken.map(({ promise }) => promise) });
	}
	const known = Object.fromEntries(
		Object.entries(knownSeeds()).filter(([seed]) => Number(seed) <= count),
	);
	return { scenarios: count + found.length, requests, seeds, known, found, unlike };
}

/** The scenarios that broke a promise once. */
export function foundScenarios(): Array<{ name: string; scenario: Scenario }> {
	return readdirSync(FOUND)
		.filter((file) => file.endsWith('.json'))
		.map((file) => {
			const json: unknown = JSON.parse(readFileSync(join(FOUND, file), 'utf8'));
			return { name: file.replace(/\.json$/, ''), scenario: scenarioSchema.parse(json) };
		});
}
