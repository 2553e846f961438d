import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, Outcome } from './benchmark';
import { benches } from './benchmarks/index';
import { number, times } from './report/format';
import { writePage, words } from './report/page';
import { hotSpots } from './report/profile';
import { isMet, readResults, writeResults } from './report/results';
import { buildChild } from './harness/build';
import { Runner } from './harness/runner';
import { installPeers } from './harness/peers';
import { PROFILES } from './harness/places';

const USAGE = `npm run bench -- [options]

  --only <name>  measure one row: ${benches.map(({ name }) => name).join(', ')}
  --profile      print where each contestant spends its CPU time; what it measures then is not written
`;

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

async function measure(bench: Bench, profile: boolean): Promise<Outcome> {
	const competition = new Runner(bench, profile);
	try {
		return await bench.run(competition);
	} finally {
		await competition.end();
	}
}

function report(bench: Bench, outcome: Outcome): void {
	for (const { figure, unit, ours, peer, theirs, ratio } of outcome.comparisons) {
		const goal = bench.goals.find((known) => known.figure === figure && known.peer === peer);
		const verdict = goal ? `, ${words(goal)}: ${isMet(goal, outcome) ? 'met' : 'MISSED'}` : '';
		print(
			`  ${figure}: ${number(ours)} ${unit}, ${peer} ${number(theirs)} ${unit}, ${times(ratio)}${verdict}`,
		);
	}
	for (const note of outcome.notes) print(`  ${note}`);
}

function printProfiles({ name, contestants }: Bench): void {
	for (const contestant of Object.keys(contestants)) {
		print(`\n  ${contestant}`);
		const lines = hotSpots(join(PROFILES, `${name}-${contestant}.cpuprofile`), 30);
		for (const line of lines) print(`    ${line}`);
	}
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			only: { type: 'string' },
			profile: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const chosen = benches.filter(({ name }) => values.only === undefined || values.only === name);
	if (values.help || chosen.length === 0) return print(USAGE);
	installPeers();
	await buildChild();
	rmSync(PROFILES, { recursive: true, force: true });
	const results = readResults();
	for (const bench of chosen) {
		print(`\n${bench.name}: ${bench.what}`);
		const outcome = await measure(bench, values.profile);
		report(bench, outcome);
		if (values.profile) printProfiles(bench);
		results.benches[bench.name] = outcome;
	}
	if (values.profile) return;
	writeResults(results);
	writePage(results, benches);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	process.exitCode = 1;
});
