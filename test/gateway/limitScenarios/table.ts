import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withGenerated } from '../../docs/table';
import { groups } from './scenarios';
import { type Outcome, play } from './play';

export type Results = Record<string, Record<string, Outcome>>;

export const RESULTS = join(__dirname, 'results.json');
export const PAGE = join(__dirname, '../../../gateway/limits/README.md');
const [BEGIN, END] = ['<!-- prettier-ignore-start -->\n', '<!-- prettier-ignore-end -->\n'];

/** Plays every scenario, each as often as `runs` says. */
export async function playAll(runs?: number): Promise<Results> {
	const results: Results = {};
	for (const [group, { scenarios }] of Object.entries(groups)) {
		const outcomes: Results[string] = (results[group] = {});
		for (const [name, one] of Object.entries(scenarios)) outcomes[name] = await play(one, runs);
	}
	return results;
}

export function readResults(): Results {
	return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

/** The page with the table of these results. */
export function withTable(page: string, results: Results): string {
	return withGenerated(page, 'scenarios', `${BEGIN}\n${tableOf(results)}\n${END}`);
}

export function summaryOf(outcomes: Outcome[]) {
	const ratios = outcomes.map(({ ratio }) => ratio);
	const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
	return {
		mean: sum(ratios) / ratios.length,
		worst: Math.max(...ratios),
		refused: sum(outcomes.map(({ refused }) => refused)),
		failed: sum(outcomes.map(({ failed }) => failed)),
	};
}

function tableOf(results: Results): string {
	return Object.entries(groups)
		.map(([name, { title, scenarios }]) => {
			const outcomes = results[name] ?? {};
			const { mean, worst, refused, failed } = summaryOf(Object.values(outcomes));
			const rows = Object.keys(scenarios).map((limit) => rowOf(limit, outcomes[limit]));
			return [
				`**${title}**: mean ${mean.toFixed(2)}, worst ${worst.toFixed(2)}, ${refused} refusals, ${failed} failed items`,
				'',
				'| limit | time ÷ shortest | seconds | refused | of one item | failed |',
				'| --- | --: | --: | --: | --: | --: |',
				...rows,
				'',
			].join('\n');
		})
		.join('\n');
}

function rowOf(limit: string, outcome: Outcome | undefined): string {
	if (outcome === undefined) return `| ${limit} | not played |`;
	const { ratio, seconds, refused, mostRefused, failed } = outcome;
	return `| ${limit} | ${ratio.toFixed(2)} | ${seconds.toFixed(0)} | ${refused} | ${mostRefused} | ${failed} |`;
}
