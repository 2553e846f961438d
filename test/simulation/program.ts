import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check } from './check';
import { Drawn } from './drawn';
import { real } from './host/install';
import { outcomeOf } from './outcome';
import { usePackages } from './play/packages';
import { loadN8n, playScenario, scenarioOf } from './judged';
import { allOf, report } from './report';
import { type Scenario, scenario as scenarioSchema } from './scenario/schema';
import { smallest } from './smallest';

const USAGE = `npm run simulate -- [options]

Plays random scenarios, and shows the smallest scenario that breaks a promise. Without --scenarios and --seconds it plays one.

  --seed <n>         the first scenario (default a random one)
  --scenarios <n>    how many, each with the next seed
  --seconds <n>      as many as fit in this time
  --save <words>     keeps the smallest scenario in found/ under this name
  --scenario <file>  plays a scenario of a file instead
  --timeline         with --scenario: prints all that happened
  --outcome          with --scenario: prints its items and requests as JSON
  --check            plays the seeds from 1 on and what is in found/, as npm test does
  --seeds <n>        with --check: how many seeds (default 100)
`;

const { values } = parseArgs({
	options: {
		seed: { type: 'string' },
		scenarios: { type: 'string' },
		seconds: { type: 'string' },
		save: { type: 'string' },
		scenario: { type: 'string' },
		timeline: { type: 'boolean' },
		outcome: { type: 'boolean' },
		check: { type: 'boolean' },
		seeds: { type: 'string', default: '100' },
		help: { type: 'boolean' },
	},
});

const print = (text: string) => void process.stdout.write(`${text}\n`);
const secondsNow = () => Number(real.hrtime()) / 1e9;

export async function main(): Promise<void> {
	if (values.help) return print(USAGE);
	usePackages(join(__dirname, '../..'));
	await loadN8n();
	if (values.check) return fail(await check(Number(values.seeds)));
	if (values.scenario !== undefined) return await playFile(values.scenario);
	const first = Number(values.seed ?? randomInt(1, 2 ** 30));
	const most = Number(values.scenarios ?? (values.seconds === undefined ? 1 : Infinity));
	const begin = secondsNow();
	const end = begin + Number(values.seconds ?? Infinity);
	const shown = new Set<string>();
	const broken: string[] = [];
	const drawn = new Drawn();
	for (let seed = first; seed < first + most && secondsNow() < end; seed += 1) {
		const scenario = scenarioOf(seed);
		drawn.add(scenario);
		const judged = await playScenario(scenario);
		const { unfinished } = judged.played;
		if (unfinished !== undefined) print(`${seed} is given up: ${unfinished}`);
		for (const { promise, how } of judged.broken) {
			broken.push(`${seed} breaks "${promise}": ${how[0]}`);
			if (!shown.has(promise)) await showSmallest(scenario, promise);
			shown.add(promise);
		}
	}
	const took = secondsNow() - begin;
	print(drawn.table());
	print(`From seed ${first}, in ${took.toFixed(1)} s`);
	fail(broken);
}

function fail(lines: string[]): void {
	for (const line of lines) process.stderr.write(`${line}\n`);
	if (lines.length > 0) process.exitCode = 1;
}

async function showSmallest(scenario: Scenario, promise: string): Promise<void> {
	const found = await smallest(scenario, promise);
	if (values.save !== undefined) {
		const file = join(__dirname, 'found', `${values.save}.json`);
		writeFileSync(file, `${JSON.stringify(found, undefined, '\t')}\n`);
	}
	print(report(await playScenario(found)));
}

async function playFile(file: string): Promise<void> {
	const scenario = scenarioSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
	const judged = await playScenario(scenario);
	if (values.outcome) return print(JSON.stringify(outcomeOf(judged.played)));
	if (values.timeline) print(allOf(judged.played).join('\n'));
	else if (judged.broken.length > 0) print(report(judged));
	fail(judged.broken.map(({ promise, how }) => `It breaks "${promise}": ${how.join('; ')}`));
}
