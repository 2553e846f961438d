import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Comparison, Goal, Result } from '../benchmark';
import { RESULTS } from '../harness/paths';
import { draw } from './charts';
import { number, times } from './format';
import { isMet, type Results, valueOf } from './results';

/** Writes the page, and an SVG file for each chart. */
export function writePage(results: Results, benchmarks: Benchmark[]): void {
	mkdirSync(RESULTS, { recursive: true });
	for (const file of readdirSync(RESULTS)) if (file.endsWith('.svg')) rmSync(join(RESULTS, file));
	const measured = benchmarks.flatMap((benchmark) => {
		const result = results.benchmarks[benchmark.name];
		return result === undefined ? [] : [{ benchmark, result }];
	});
	for (const { benchmark, result } of measured) {
		result.charts.forEach((chart, index) =>
			writeFileSync(join(RESULTS, picture(benchmark, index)), draw(chart)),
		);
	}
	const { node, engine, cores, load } = results;
	const page = `# Benchmark

How fast the nodes and their client are, compared with what you could use instead. \`npm run bench\` measures everything in one run
and writes this page; \`npm run bench:check\` fails if a figure with a goal is worse by more than 5 %, or 25 % for CPU time:
by so much the same code differs between two hours of a quiet machine with two cores.

Measured on Node.js ${node} with n8n-core ${engine} and ${cores} cores, at a load average of ${load}: a load above the number of cores
makes the figures worse. Compare the ratios. "Ours" is the built package.

## Goals

${table(measured, true)}
${METHOD}
${measured.map(({ benchmark, result }) => chapter(benchmark, result)).join('\n')}`;
	writeFileSync(join(RESULTS, 'README.md'), page);
}

const METHOD = `## How it is measured

- Everything runs against the simulator in its own process, over TLS on loopback. Where latency matters, a proxy in a third
  process adds a round trip of 40 ms.
- Each candidate runs in its own process, warms up, and then takes turns with the others, so that a disturbance
  affects all of them. The figure is the median of the repetitions.
- CPU time is that of the candidate's process with all its threads, garbage collection included.
- Our nodes and n8n's run through n8n's own engine, with the same items.
- The peers are n8n's own packages, which the first run installs from npm. Plain undici is the baseline.
`;

type Measured = Array<{ benchmark: Benchmark; result: Result }>;

/** All comparisons, or only those with a goal. */
function table(measured: Measured, goalsOnly: boolean): string {
	const rows = measured.flatMap(({ benchmark, result }) =>
		result.comparisons.flatMap((comparison) => {
			const { figure, peer } = comparison;
			const goal = benchmark.goals.find((known) => known.figure === figure && known.peer === peer);
			if (goalsOnly && goal === undefined) return [];
			const met = goal && (isMet(goal, valueOf(goal, result)) ? 'met' : '**missed**');
			const title = goalsOnly ? [`[${benchmark.title}](#${benchmark.name})`] : [];
			return row([...title, ...cells(comparison), goal ? goalText(goal) : '', met ?? '']);
		}),
	);
	const names = ['figure', 'ours', 'peer', 'theirs', 'ratio', 'goal', ''];
	const header = goalsOnly ? ['benchmark', ...names] : names;
	return [row(header), row(header.map(() => '---')), ...rows, ''].join('\n');
}

function cells({ figure, unit, ours, peer, theirs, ratio }: Comparison): string[] {
	const value = (of: number) => `${number(of)} ${unit}`.trim();
	return [figure, value(ours), peer, value(theirs), times(ratio)];
}

function row(columns: string[]): string {
	return `| ${columns.join(' | ')} |`;
}

/** A goal as text: `at most 1.25×`. */
export function goalText({ of, atMost, atLeast }: Goal): string {
	const bound = (value: number) => (of === 'ratio' ? times(value) : number(value));
	if (atMost !== undefined) return `at most ${bound(atMost)}`;
	return atLeast === undefined ? '' : `at least ${bound(atLeast)}`;
}

function chapter(benchmark: Benchmark, result: Result): string {
	const pictures = result.charts.map(
		({ title }, index) => `![${title}](${picture(benchmark, index)})\n`,
	);
	return `<a name="${benchmark.name}"></a>

## ${benchmark.title}

${table([{ benchmark, result }], false)}
${[...result.notes.map((note) => `${note}\n`), ...pictures].join('\n')}
**How:** ${benchmark.method}

**What it took in code:** ${benchmark.cost}
`;
}

function picture({ name }: Benchmark, index: number): string {
	return `${name}${index === 0 ? '' : `-${index + 1}`}.svg`;
}
