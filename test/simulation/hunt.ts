import fc from 'fast-check';
import { anyScenario } from './scenario/arbitrary';
import type { Scenario } from './scenario/schema';
import { simpler } from './scenario/simplify';
import { play } from './play/play';
import type { Played } from './play/played';
import { type Broken, judge } from './promises';
import { differences, variantsOf } from './promises/sameEverywhere';

/** How many smaller scenarios are tried to find the smallest one that breaks the same promise. */
const MAX_SHRINKS = 70;

export interface Verdict {
	seed: number;
	played: Played;
	broken: Broken[];
	/** How many scenarios beside it were played to compare their items. */
	variants: number;
}

/** n8n loads parts of itself when it first needs them, which takes no time of the world: an agent's model, too. */
export async function loadN8n(): Promise<void> {
	await playSeed(1);
	await playSeed(2);
	await play({
		...scenarioOf(1),
		shape: 'agent',
		nodes: [{ kind: 'model', name: 'M', model: 'chat-a' }],
		items: [{ p: 'p1' }, { p: 'p2' }],
		service: { latencyMs: [50, 300], tasks: [], limits: [], faults: [] },
		events: [],
		afterwards: [],
	});
}

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
	const [scenario] = fc.sample(anyScenario, { seed, numRuns: 1 });
	if (scenario === undefined) throw new Error(`No scenario has the seed ${seed}`);
	return scenario;
}

export async function playSeed(seed: number): Promise<Verdict> {
	return { seed, ...(await playScenario(scenarioOf(seed))) };
}

export async function playScenario(scenario: Scenario): Promise<Omit<Verdict, 'seed'>> {
	const played = await play(scenario);
	const broken = judge(played);
	const how: string[] = [];
	const variants = played.unfinished === undefined ? variantsOf(scenario) : [];
	for (const variant of variants) how.push(...differences(played, await play(variant)));
	if (how.length > 0) broken.push({ promise: 'The same', how });
	return { played, broken, variants: variants.length };
}

/** The smallest scenario found that breaks the promise as the scenario of this seed does. */
export async function shrink(seed: number, promise: string): Promise<Scenario> {
	let smallest = scenarioOf(seed);
	let left = MAX_SHRINKS;
	const breaks = async (scenario: Scenario) => {
		if ((left -= 1) < 0) return false;
		const { broken } = await playScenario(scenario);
		const isBroken = broken.some((each) => each.promise === promise);
		if (isBroken) smallest = scenario;
		return isBroken;
	};
	const keeps = fc.asyncProperty(anyScenario, async (scenario) => !(await breaks(scenario)));
	await fc.check(keeps, { seed, numRuns: 1 });
	left = MAX_SHRINKS;
	// fast-check makes numbers and lists smaller; what it cannot leave out is left out here.
	for (let found = true; found && left > 0; ) {
		found = false;
		for (const scenario of simpler(smallest)) if ((found = await breaks(scenario))) break;
	}
	return smallest;
}
