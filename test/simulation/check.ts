import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playScenario, scenarioOf } from './judged';
import { allOf } from './report';
import { scenario as scenarioSchema } from './scenario/schema';

/** How many seeds are played twice. */
const PLAYED_TWICE = 20;
const FOUND = join(__dirname, 'found');

/** Plays the seeds from 1 on, and all scenarios that broke a promise once. @returns what is wrong, in a line each */
export async function check(seeds: number): Promise<string[]> {
	const wrong: string[] = [];
	const judge = async (name: string, scenario: ReturnType<typeof scenarioOf>) => {
		const { played, broken } = await playScenario(scenario);
		wrong.push(...broken.map(({ promise, how }) => `${name} breaks "${promise}": ${how[0]}`));
		return allOf(played).join('\n');
	};
	for (let seed = 1; seed <= seeds; seed += 1) {
		const timeline = await judge(`seed ${seed}`, scenarioOf(seed));
		if (seed > PLAYED_TWICE) continue;
		const again = allOf((await playScenario(scenarioOf(seed))).played).join('\n');
		if (again !== timeline) wrong.push(`seed ${seed} differs when it is played again`);
	}
	for (const file of readdirSync(FOUND)) {
		const json: unknown = JSON.parse(readFileSync(join(FOUND, file), 'utf8'));
		await judge(file, scenarioSchema.parse(json));
	}
	return wrong;
}
