// Needs a quiet machine: it measures.

import { parseArgs } from 'node:util';
import type { Benchmark, Build, Comparison, Goal } from './benchmark';
import { benchmarks } from './benchmarks/index';
import { buildChild } from './harness/build';
import { installPeers } from './harness/peers';
import { measure } from './measure';
import { number, times } from './report/format';
import { goalText } from './report/page';
import { isMet, readResults, valueOf } from './report/results';

const USAGE = `npm run bench:check -- [options]

  --only <name>  check one benchmark: ${benchmarks.map(({ name }) => name).join(', ')}
  --runs <n>     how often one that does not pass at once is measured; the median counts (default 3)
`;

/** What two quiet runs differ by, where a goal says nothing else. */
const NOISE = 1.05;
const RUNS = 3;

const { benchmarks: committed } = readResults();

function median(values: number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

interface Verdict {
	line: string;
	passes: boolean;
}

/** Compares the median of some runs with the committed results, whose page shows which goals they miss. */
function judge({ name, title, goals }: Benchmark, measured: Comparison[][]): Verdict[] {
	return goals.flatMap((goal) => goal.builds.map((build) => judgeBuild(goal, build)));

	function judgeBuild(goal: Goal, build: Build): Verdict {
		const now = median(measured.map((comparisons) => valueOf(goal, build, { comparisons })));
		const before = valueOf(goal, build, committed[name]);
		const { atMost, noise = NOISE } = goal;
		const worse = atMost === undefined ? before / now : now / before;
		const isWorse = now !== before && !(worse <= noise);
		const show = goal.of === 'ratio' ? times : number;
		const verdict = isWorse ? 'WORSE ' : isMet(goal, now) ? 'met   ' : 'missed';
		return {
			line: `${verdict}  ${title}: ${goal.figure} of the ${build} build compared with ${goal.peer}: ${show(now)}, committed ${show(before)}, ${goalText(goal)}`,
			passes: !isWorse,
		};
	}
}

/** Noise makes figures worse, hardly ever better: a first run that passes needs no other. */
async function check(benchmark: Benchmark, runs: number): Promise<boolean> {
	const measured: Comparison[][] = [];
	let verdicts: Verdict[];
	do {
		measured.push((await measure(benchmark)).comparisons);
		verdicts = judge(benchmark, measured);
	} while (
		measured.length < runs &&
		!(measured.length === 1 && verdicts.every(({ passes }) => passes))
	);
	for (const { line } of verdicts) process.stdout.write(`${line}\n`);
	return verdicts.every(({ passes }) => passes);
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			only: { type: 'string' },
			runs: { type: 'string', default: String(RUNS) },
			help: { type: 'boolean', default: false },
		},
	});
	const chosen = benchmarks.filter(
		({ name, goals }) => goals.length > 0 && (values.only === undefined || values.only === name),
	);
	const runs = Number(values.runs);
	if (values.help || chosen.length === 0 || !(runs >= 1)) return void process.stdout.write(USAGE);
	installPeers();
	await buildChild();
	for (const benchmark of chosen) {
		if (!(await check(benchmark, runs))) process.exitCode = 1;
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	process.exitCode = 1;
});
