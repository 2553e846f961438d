import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { foundScenarios } from '../simulation/check';
import { loadN8n, playScenario, scenarioOf } from '../simulation/hunt';
import { usePackages } from '../simulation/play/packages';
import type { Scenario } from '../simulation/scenario/schema';
import { REACH, SECONDS, type Told, type Verdict } from './mutant';
import { OUTPUT, PROJECT } from './folders';

const RECORD = join(OUTPUT, 'scenarios.json');
const KEPT = foundScenarios();

/** What a scenario is without a mutant. */
const known = z.object({
	/** Of CPU time. */
	seconds: z.number(),
	broken: z.array(z.string()),
	/** The mutants that it executes. */
	ids: z.array(z.string()),
});

type Known = z.infer<typeof known>;

const knownScenarios = z.object({
	/** From seed 1 on. */
	drawn: z.array(known),
	/** Those in `found/`, by name. */
	kept: z.record(z.string(), known),
});

type KnownScenarios = z.infer<typeof knownScenarios>;

let active = '';
let executed = new Set<string>();
Object.assign(globalThis, {
	mutants: {
		isActive: (id: string) => id === active,
		covers: (...ids: string[]) => {
			if (active === '') for (const id of ids) executed.add(id);
		},
	},
});

/** CPU time, so that a busy machine plays as many scenarios as an idle one. */
const secondsNow = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const tell = (message: Told) => process.send?.(message);

/** Plays one mutant after the other, as the parent process asks: n8n is loaded once for all of them. */
export async function playMutants(): Promise<void> {
	usePackages({ undici: PROJECT, verified: join(PROJECT, 'dist-cloud') });
	await loadN8n();
	if (!existsSync(RECORD)) writeFileSync(RECORD, JSON.stringify(await record()));
	const scenarios = knownScenarios.parse(JSON.parse(readFileSync(RECORD, 'utf8')));
	const reached = new Set(scenarios.drawn.slice(0, REACH).flatMap(({ ids }) => ids));
	process.on('message', (id: string) => {
		void find(id, scenarios).then((found) =>
			tell({ verdict: { isReached: reached.has(id), ...found } }),
		);
	});
	tell({ verdict: { isReached: false } });
}

async function record(): Promise<KnownScenarios> {
	const drawn: Known[] = [];
	let seconds = 0;
	for (let seed = 1; seed <= REACH || seconds < SECONDS; seed += 1) {
		const played = await playWithout(scenarioOf(seed));
		seconds += played.seconds;
		drawn.push(played);
	}
	const kept: KnownScenarios['kept'] = {};
	for (const { name, scenario } of KEPT) kept[name] = await playWithout(scenario);
	return { drawn, kept };
}

async function playWithout(scenario: Scenario): Promise<Known> {
	executed = new Set();
	const begin = secondsNow();
	const { broken } = await playScenario(scenario);
	const seconds = secondsNow() - begin;
	tell({});
	return { seconds, broken: broken.map(({ promise }) => promise), ids: [...executed] };
}

/**
 * Plays scenarios with the mutant until one breaks a promise that it keeps without it. One that does not execute it is not
 * played: it takes the time that it took without the mutant.
 */
async function find(
	id: string,
	{ drawn, kept }: KnownScenarios,
): Promise<Pick<Verdict, 'found' | 'test'>> {
	let seconds = 0;
	for (const [index, without] of drawn.entries()) {
		if (seconds > SECONDS) break;
		if (!without.ids.includes(id)) {
			seconds += without.seconds;
			continue;
		}
		const seed = index + 1;
		const begin = secondsNow();
		const promise = await brokenWith(id, scenarioOf(seed), without);
		seconds += secondsNow() - begin;
		if (promise !== undefined) return { found: { seed, promise, seconds } };
	}
	for (const { name, scenario } of KEPT) {
		const without = kept[name];
		if (!without?.ids.includes(id)) continue;
		const promise = await brokenWith(id, scenario, without);
		if (promise !== undefined) return { test: `test/simulation/found/${name}.json: ${promise}` };
	}
	return {};
}

async function brokenWith(
	id: string,
	scenario: Scenario,
	without: Known,
): Promise<string | undefined> {
	tell({});
	active = id;
	const { broken } = await playScenario(scenario);
	active = '';
	const found = broken.find(({ promise }) => !without.broken.includes(promise));
	return found && `${found.promise}: ${found.how[0] ?? ''}`;
}
