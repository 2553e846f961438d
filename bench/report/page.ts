import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Comparison, Goal, Outcome } from '../benchmark';
import { RESULTS } from '../harness/places';
import { draw } from './charts';
import { number, times } from './format';
import { isMet, type Results } from './results';

/** Writes the page with the table, and a picture for each chart. */
export function writePage(results: Results, benches: Bench[]): void {
	mkdirSync(RESULTS, { recursive: true });
	for (const file of readdirSync(RESULTS)) if (file.endsWith('.svg')) rmSync(join(RESULTS, file));
	const measured = benches.flatMap((bench) => {
		const outcome = results.benches[bench.name];
		return outcome === undefined ? [] : [{ bench, outcome }];
	});
	for (const { bench, outcome } of measured) {
		outcome.charts.forEach((chart, index) =>
			writeFileSync(join(RESULTS, picture(bench, index)), draw(chart)),
		);
	}
	const { node, engine, cores, load } = results;
	const page = `# Benchmark

How fast the nodes and their client are beside what one would use instead, and how near to what is possible. \`npm run bench\` measures
all of it in one run and writes this page; \`npm run bench:check\` fails when a goal is missed.

This run was on Node.js ${node} with n8n-core ${engine} and ${cores} cores, at a load of ${load}: what is above the number of cores is
work that waits, and makes figures worse. The ratios are what counts. "Ours" is the built package.

## Goals

${table(measured, true)}
${METHOD}
${measured.map(({ bench, outcome }) => chapter(bench, outcome)).join('\n')}`;
	writeFileSync(join(RESULTS, 'README.md'), page);
}

const METHOD = `## How it is measured

- Everything runs against the simulator in a process of its own, over TLS on loopback. Where latency matters, a proxy adds a
  round trip of 40 ms, in a third process.
- Each contestant runs in a process of its own, warms up, and then takes turns with the others, so that a disturbance
  meets all. What counts is the median of the repetitions.
- CPU time is that of the contestant's process alone, with all its threads, garbage collection included.
- Our nodes and n8n's run through n8n's own engine in the same way, fed with the same items.
- The peers are n8n's own packages, installed from npm beside the benchmark at its first run; undici with nothing around it is the floor.
`;

type Measured = Array<{ bench: Bench; outcome: Outcome }>;

/** All comparisons, or those with a goal. */
function table(measured: Measured, goalsOnly: boolean): string {
	const rows = measured.flatMap(({ bench, outcome }) =>
		outcome.comparisons.flatMap((comparison) => {
			const { figure, peer } = comparison;
			const goal = bench.goals.find((known) => known.figure === figure && known.peer === peer);
			if (goalsOnly && goal === undefined) return [];
			const met = goal && (isMet(goal, outcome) ? 'met' : '**missed**');
			const what = goalsOnly ? [`[${bench.what}](#${bench.name})`] : [];
			return row([...what, ...cells(comparison), goal ? words(goal) : '', met ?? '']);
		}),
	);
	const names = ['figure', 'ours', 'compared with', 'theirs', 'ratio', 'goal', ''];
	const header = goalsOnly ? ['what', ...names] : names;
	return [row(header), row(header.map(() => '---')), ...rows, ''].join('\n');
}

function cells({ figure, unit, ours, peer, theirs, ratio }: Comparison): string[] {
	const value = (of: number) => `${number(of)} ${unit}`.trim();
	return [figure, value(ours), peer, value(theirs), times(ratio)];
}

function row(columns: string[]): string {
	return `| ${columns.join(' | ')} |`;
}

/** A goal in words. */
export function words({ of, atMost, atLeast }: Goal): string {
	const bound = (value: number) => (of === 'ratio' ? times(value) : number(value));
	if (atMost !== undefined) return `at most ${bound(atMost)}`;
	return atLeast === undefined ? '' : `at least ${bound(atLeast)}`;
}

function chapter(bench: Bench, outcome: Outcome): string {
	const pictures = outcome.charts.map(
		({ title }, index) => `![${title}](${picture(bench, index)})\n`,
	);
	return `<a name="${bench.name}"></a>

## ${bench.what}

${table([{ bench, outcome }], false)}
${[...outcome.notes.map((note) => `${note}\n`), ...pictures].join('\n')}
**How:** ${bench.method}

**What it cost in code:** ${bench.cost}
`;
}

function picture({ name }: Bench, index: number): string {
	return `${name}${index === 0 ? '' : `-${index + 1}`}.svg`;
}
