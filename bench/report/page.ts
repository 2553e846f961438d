import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Build, Comparison, Goal, Result } from '../benchmark';
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

What the nodes cost, compared with what you could use instead: of the [verified build](../verification.md), which \`npm install\` gives, and of the
undici build. \`npm run bench\` measures everything and writes this page; \`npm run bench:check\` fails if a figure with a goal is worse by more
than 5 %, or 25 % for CPU time: by so much the same code differs between two hours of a quiet machine.

Measured on Node.js ${node} with n8n-core ${engine} and ${cores} cores, at a load average of ${load}: a load above the number of cores
makes the figures worse. Compare the ratios.

- Everything runs against the simulator, over TLS on loopback, and through n8n's own engine with the same items.
- Each candidate runs in its own process, warms up, and takes turns with the others. The figure is the median.
- CPU time is that of the candidate's process with all its threads.
- The peers are n8n's own packages, n8n's bare request helper, and plain undici with \`JSON.parse\`.

${missedGoals(measured)}

${measured.map(({ benchmark, result }) => chapter(benchmark, result)).join('\n')}`;
	writeFileSync(join(RESULTS, 'README.md'), page);
}

type Measured = Array<{ benchmark: Benchmark; result: Result }>;

/** The goals that a build misses, by the chapters with their figures. */
function missedGoals(measured: Measured): string {
	const missed = measured.flatMap(({ benchmark: { name, title, goals }, result }) =>
		goals.some((goal) => goal.builds.some((build) => !isMet(goal, valueOf(goal, build, result))))
			? [`[${title}](#${name})`]
			: [],
	);
	return missed.length === 0 ? 'All goals are met.' : `Goals are missed in ${missed.join(', ')}.`;
}

function comparisons({ goals }: Benchmark, { comparisons: all }: Result): string {
	return table(
		['figure', 'verified build', 'undici build', 'peer', '', 'goal'],
		all.map((comparison) => {
			const { figure, unit, peer, theirs } = comparison;
			const goal = goals.find((one) => one.figure === figure && one.peer === peer);
			const ours = (build: Build) => withRatio(comparison, build) + verdict(goal, build, all);
			const bound = goal === undefined ? '' : goalText(goal);
			return [figure, ours('verified'), ours('undici'), peer, inUnit(theirs, unit), bound];
		}),
	);
}

/** What the page says of a figure whose goal, if it has one for this build, is missed. */
function verdict(goal: Goal | undefined, build: Build, all: Comparison[]): string {
	if (goal?.builds.includes(build) !== true) return '';
	return isMet(goal, valueOf(goal, build, { comparisons: all })) ? '' : ' **missed**';
}

function withRatio(comparison: Comparison, build: Build): string {
	const { unit, theirs } = comparison;
	const figure = inUnit(comparison[build], unit);
	return theirs === 0 ? figure : `${figure} (${times(comparison[build] / theirs)})`;
}

function inUnit(value: number, unit: string): string {
	return `${number(value)} ${unit}`.trim();
}

function table(header: string[], rows: string[][]): string {
	const lines = [header, header.map(() => '---'), ...rows];
	return [...lines.map((columns) => `| ${columns.join(' | ')} |`), ''].join('\n');
}

/** A goal as text: `at most 1.25×`, with its build where it is for one alone. */
export function goalText({ builds, of, atMost, atLeast }: Goal): string {
	const bound = (value: number) => (of === 'ratio' ? times(value) : number(value));
	const [build] = builds.length === 1 ? builds : [];
	const ofBuild = build === undefined ? '' : ` (${build})`;
	if (atMost !== undefined) return `at most ${bound(atMost)}${ofBuild}`;
	return atLeast === undefined ? '' : `at least ${bound(atLeast)}${ofBuild}`;
}

function chapter(benchmark: Benchmark, result: Result): string {
	const pictures = result.charts.map(
		({ title }, index) => `![${title}](${picture(benchmark, index)})\n`,
	);
	return `<a name="${benchmark.name}"></a>

## ${benchmark.title}

${benchmark.method}

${comparisons(benchmark, result)}
${[...result.notes.map((note) => `${note}\n`), ...pictures].join('\n')}`;
}

function picture({ name }: Benchmark, index: number): string {
	return `${name}${index === 0 ? '' : `-${index + 1}`}.svg`;
}
