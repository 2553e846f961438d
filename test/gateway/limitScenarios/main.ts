import { readFileSync, writeFileSync } from 'node:fs';
import { groups } from './scenarios';
import { play } from './play';
import { PAGE, readResults, type Results, RESULTS, summaryOf, withTable } from './table';

/** Prints how each limit fares, and writes the results and the page. An argument plays only the limits with that name. */
async function main(only = ''): Promise<void> {
	const results: Results = {};
	for (const [group, { scenarios }] of Object.entries(groups)) {
		const outcomes: Results[string] = {};
		for (const [name, one] of Object.entries(scenarios)) {
			if (!name.includes(only)) continue;
			const outcome = await play(one);
			outcomes[name] = outcome;
			const { ratio, seconds, refused, mostRefused, failed } = outcome;
			const times = `${ratio.toFixed(2)} (${seconds.toFixed(0)} of ${one.minimum.toFixed(0)} s)`;
			const refusals = `${refused} refused, one ${mostRefused} times, ${failed} failed`;
			process.stdout.write(`${name.padEnd(60)} ${times.padEnd(22)} ${refusals}\n`);
		}
		results[group] = outcomes;
		if (Object.keys(outcomes).length === 0) continue;
		const { mean, worst } = summaryOf(Object.values(outcomes));
		process.stdout.write(`${group}: mean ${mean.toFixed(3)}, worst ${worst.toFixed(2)}\n\n`);
	}
	if (only !== '') return;
	writeFileSync(RESULTS, `${JSON.stringify(results, rounded, '\t')}\n`);
	writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), readResults()));
}

const rounded = (_name: string, value: unknown): unknown =>
	typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;

void main(process.argv[2]);
