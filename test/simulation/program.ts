import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { real } from './host/install';
import { check } from './check';
import { loadN8n, playScenario, playSeed, shrink } from './hunt';
import { type Scenario, scenario as scenarioSchema } from './scenario/schema';
import { Drawn } from './drawn';
import { forgetFixed, surprises } from './knownSeeds';
import { readOptions } from './options';
import { outcomeOf } from './outcome';
import { usePackages } from './play/packages';
import { allOf, inWords, report } from './report';

const ROOT = join(__dirname, '../..');

const values = readOptions();

const print = (text: string) => void process.stdout.write(`${text}\n`);
const secondsNow = () => Number(real.hrtime()) / 1e9;

export async function main(): Promise<void> {
	const folder = resolve(values.packages ?? ROOT);
	usePackages({ undici: folder, verified: join(folder, 'dist-cloud') });
	await loadN8n();
	if (values.check) {
		const report = await check(values.seeds);
		if (values['forget-fixed']) forgetFixed(report);
		const differing = values['forget-fixed'] ? [] : surprises(report);
		for (const line of differing) process.stderr.write(`${line}\n`);
		if (differing.length > 0) process.exitCode = 1;
		return void print(JSON.stringify(report));
	}
	if (values.scenario !== undefined) return await one(values.scenario);
	const first = values.seed ?? randomInt(1, 2 ** 30);
	const most = values.scenarios ?? (values.seconds === undefined ? 1 : Infinity);
	const begin = secondsNow();
	const end = begin + (values.seconds ?? Infinity);
	const counts = { scenarios: 0, variants: 0, requests: 0, events: 0 };
	const found = new Map<string, number[]>();
	const drawn = new Drawn();
	const isOver = () => values['until-found'] === true && found.size > 0;
	for (let seed = first; counts.scenarios < most && secondsNow() < end && !isOver(); seed += 1) {
		const { played, broken, variants } = await playSeed(seed);
		counts.scenarios += 1;
		drawn.add(played.scenario);
		counts.variants += variants;
		counts.requests += played.truth.requests.length;
		counts.events += played.timeline.length + played.truth.requests.length;
		if (played.unfinished !== undefined) print(`${seed} is given up: ${played.unfinished}`);
		for (const each of broken) {
			if (values.promise !== undefined && values.promise !== each.promise) continue;
			const seeds = found.get(each.promise) ?? [];
			found.set(each.promise, [...seeds, seed]);
			if (seeds.length > 0 && values['no-shrink'] !== true) continue;
			if (values['no-shrink'] === true) {
				print(`${seed} ${each.promise}: ${each.how[0]} (${shortly(played.scenario)})`);
				if (values.timeline) print([...inWords(played.scenario), ...allOf(played)].join('\n'));
				continue;
			}
			const scenario = await shrink(seed, each.promise);
			if (values.save !== undefined) save(values.save, { ...scenario, breaks: each.promise });
			const smallest = await playScenario(scenario);
			const still = smallest.broken.find(({ promise }) => promise === each.promise) ?? each;
			print(`${report(seed, still, smallest.played)}\n${JSON.stringify(scenario)}\n`);
		}
	}
	const took = secondsNow() - begin;
	const rate = (count: number) => Math.round(count / took);
	if (counts.scenarios > 1) print(drawn.table());
	for (const [promise, seeds] of found)
		print(
			`"${promise}" is broken by ${seeds.length} scenarios: seeds ${seeds.slice(0, 20).join(', ')}`,
		);
	print(
		`${counts.scenarios} scenarios from seed ${first}, and ${counts.variants} in the other build or wait, in ${took.toFixed(1)} s: ${(counts.scenarios / took).toFixed(1)} scenarios, ${rate(counts.requests)} requests and ${rate(counts.events)} events a second`,
	);
	process.exitCode = found.size > 0 ? 1 : 0;
}

function save(name: string, scenario: Scenario): void {
	const file = join(__dirname, 'found', `${name}.json`);
	writeFileSync(file, `${JSON.stringify(scenario, undefined, '\t')}\n`);
}

/** Enough to tell scenarios apart. */
function shortly({ shape, nodes, events, afterwards }: Scenario): string {
	const list = nodes.map((node) => {
		const { onError = 'stopWorkflow', tries = 1 } = node;
		const wait =
			node.kind === 'video' ? ` ${node.operation} n=${node.n ?? 1} ${node.wait?.waitIn}` : '';
		return `${node.kind}${wait} ${onError} tries=${tries}`;
	});
	return [shape, ...list, ...events.map(({ what }) => what), ...afterwards].join(', ');
}

async function one(file: string): Promise<void> {
	const scenario = scenarioSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
	const { played, broken } = await playScenario(scenario);
	if (values.outcome) return print(JSON.stringify(outcomeOf(played)));
	for (const each of broken) print(`${report(scenario.seed, each, played)}\n`);
	if (values.timeline) print(allOf(played).join('\n'));
	print(
		broken.length > 0
			? `Breaks: ${broken.map(({ promise }) => promise).join(', ')}`
			: `Keeps all promises${played.unfinished ? ` (${played.unfinished})` : ''}`,
	);
	process.exitCode = broken.length > 0 ? 1 : 0;
}
