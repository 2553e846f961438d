import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark, Result } from './benchmark';
import { benchmarks } from './benchmarks/index';
import { number, times } from './report/format';
import { goalText, writePage } from './report/page';
import { hotSpots } from './report/profile';
import { isMet, readResults, valueOf, writeResults } from './report/results';
import { buildChild } from './harness/build';
import { installPeers } from './harness/peers';
import { PROFILES } from './harness/paths';
import { measure } from './measure';

const USAGE = `npm run bench -- [options]

  --only <name>  measure one benchmark: ${benchmarks.map(({ name }) => name).join(', ')}
  --profile      print where each candidate spends its CPU time; the results are not saved
`;

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

function report(benchmark: Benchmark, result: Result): void {
	for (const { figure, unit, ours, peer, theirs, ratio } of result.comparisons) {
		const goal = benchmark.goals.find((known) => known.figure === figure && known.peer === peer);
		const verdict = goal
			? `, ${goalText(goal)}: ${isMet(goal, valueOf(goal, result)) ? 'met' : 'MISSED'}`
			: '';
		print(
			`  ${figure}: ${number(ours)} ${unit}, ${peer} ${number(theirs)} ${unit}, ${times(ratio)}${verdict}`,
		);
	}
	for (const note of result.notes) print(`  ${note}`);
}

function printProfiles({ name, candidates }: Benchmark): void {
	for (const candidate of Object.keys(candidates)) {
		print(`\n  ${candidate}`);
		const lines = hotSpots(join(PROFILES, `${name}-${candidate}.cpuprofile`), 30);
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
	const chosen = benchmarks.filter(({ name }) => values.only === undefined || values.only === name);
	if (values.help || chosen.length === 0) return print(USAGE);
	installPeers();
	await buildChild();
	rmSync(PROFILES, { recursive: true, force: true });
	const results = readResults();
	for (const benchmark of chosen) {
		print(`\n${benchmark.name}: ${benchmark.title}`);
		const result = await measure(benchmark, values.profile);
		report(benchmark, result);
		if (values.profile) printProfiles(benchmark);
		results.benchmarks[benchmark.name] = result;
	}
	if (values.profile) return;
	writeResults(results);
	writePage(results, benchmarks);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	process.exitCode = 1;
});
