import fc from 'fast-check';
import { play } from './play/play';
import type { Played } from './play/played';
import { type Broken, judge } from './promises';
import { differences, variantsOf } from './promises/sameEverywhere';
import { anyScenario } from './scenario/arbitrary';
import type { Scenario } from './scenario/schema';

/** A scenario that was played, and the promises that it broke. */
export interface Judged {
	played: Played;
	broken: Broken[];
}

/** n8n loads parts of itself when it first needs them, which takes no time of the world: an agent's model, too. */
export async function loadN8n(): Promise<void> {
	await playScenario(scenarioOf(1));
	await playScenario(scenarioOf(2));
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

/** Plays a scenario, and its variants, whose items are to be the same. */
export async function playScenario(scenario: Scenario): Promise<Judged> {
	const played = await play(scenario);
	const broken = judge(played);
	const how: string[] = [];
	const variants = played.unfinished === undefined ? variantsOf(scenario) : [];
	for (const variant of variants) how.push(...differences(played, await play(variant)));
	if (how.length > 0) broken.push({ promise: 'The same', how });
	return { played, broken };
}
