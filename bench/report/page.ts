import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Comparison, Goal, Outcome } from '../bench';
import { RESULTS } from '../stage/places';
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
	const { node, engine, cores } = results;
	const page = `# Benchmark

Measured by \`npm run bench\` with the built package, on Node.js ${node}, n8n-core ${engine} and ${cores} cores. The ratios are what
counts: the figures depend on the machine, and on what else it does. \`npm run bench:check\` holds the ratios against the goals.

${table(measured)}
${METHOD}
${measured.map(({ bench, outcome }) => chapter(bench, outcome)).join('\n')}`;
	writeFileSync(join(RESULTS, 'README.md'), page);
}

const METHOD = `
## How it is measured

- Everything runs against the simulator in a process of its own, over TLS on loopback. Where latency matters, a proxy adds a
  round trip of 40 ms, in a third process.
- Each contestant runs in a process of its own, warms up, and then takes turns with the others, so that a disturbance
  meets all. What counts is the median of the repetitions.
- CPU time is that of the contestant's process alone, with all its threads, garbage collection included.
- Our nodes and n8n's run through n8n's own engine in the same way, fed with the same items; the client and
  the nodes are the built package.
- The peers are n8n's own packages, installed from npm beside the benchmark at its first run.
`;

type Measured = Array<{ bench: Bench; outcome: Outcome }>;

function table(measured: Measured): string {
	const rows = measured.flatMap(({ bench, outcome }) =>
		outcome.comparisons.map((comparison) => {
			const goal = bench.goals.find(
				({ figure, peer }) => figure === comparison.figure && peer === comparison.peer,
			);
			return row(`[${bench.what}](#${bench.name})`, comparison, goal, outcome);
		}),
	);
	return `| what | figure | ours | peer | theirs | ratio | goal | |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function row(
	what: string,
	{ figure, unit, ours, peer, theirs, ratio }: Comparison,
	goal: Goal | undefined,
	outcome: Outcome,
): string {
	const met = goal && (isMet(goal, outcome) ? 'met' : '**missed**');
	const cells = [
		what,
		figure,
		`${number(ours)} ${unit}`,
		peer,
		`${number(theirs)} ${unit}`,
		times(ratio),
		goal ? words(goal) : '',
		met ?? '',
	];
	return `| ${cells.join(' | ')} |`;
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

${bench.method}

${[...outcome.notes.map((note) => `${note}\n`), ...pictures].join('\n')}
What it cost in code: ${bench.cost}
`;
}

function picture({ name }: Bench, index: number): string {
	return `${name}${index === 0 ? '' : `-${index + 1}`}.svg`;
}
