// Needs a quiet machine: it measures.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark, Result } from './benchmark';
import { benchmarks } from './benchmarks/index';
import { number } from './report/format';
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

function report({ goals }: Benchmark, result: Result): void {
	for (const { figure, unit, verified, undici, peer, theirs } of result.comparisons)
		print(
			`  ${figure}: verified ${number(verified)}, undici ${number(undici)} ${unit}; ${peer} ${number(theirs)}`,
		);
	for (const goal of goals) {
		for (const build of goal.builds) {
			const value = valueOf(goal, build, result);
			const verdict = isMet(goal, value) ? 'met' : 'MISSED';
			print(`  ${build}, ${goal.figure}: ${number(value)}, ${goalText(goal)}: ${verdict}`);
		}
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
