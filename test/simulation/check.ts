import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckReport, checkReport } from './checkReport';
import { scenarioOf, playScenario } from './hunt';
import { type Scenario, scenario as scenarioSchema } from './scenario/schema';
import { allOf } from './report';

/** Scenarios that every change is tested with. */
const FIXED_SEEDS = 300;
/** How many of them are played twice. */
const PLAYED_TWICE = 20;

const FOUND = join(__dirname, 'found');
const KNOWN = join(__dirname, 'knownSeeds.json');

/** Plays what `npm test` plays. */
export async function check(): Promise<CheckReport> {
	const seeds: CheckReport['seeds'] = {};
	const unlike: string[] = [];
	let requests = 0;
	for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) {
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
	const known = checkReport.shape.known.parse(JSON.parse(readFileSync(KNOWN, 'utf8')));
	return { scenarios: FIXED_SEEDS + found.length, requests, seeds, known, found, unlike };
}

/** Takes from the list of known seeds what they no longer break. Nothing is added: that is for a reviewer. */
export function forgetFixed({ known, seeds }: CheckReport): void {
	const left = Object.entries(known).flatMap(([seed, promises]) => {
		const still = promises.filter((promise) => seeds[seed]?.includes(promise));
		return still.length > 0 ? [[seed, still] as const] : [];
	});
	const lines = left.map(
		([seed, promises]) => `\t"${seed}": ${JSON.stringify(promises).replaceAll(',', ', ')}`,
	);
	writeFileSync(KNOWN, lines.length > 0 ? `{\n${lines.join(',\n')}\n}\n` : '{}\n');
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
