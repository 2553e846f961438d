import { groups } from './scenarios';
import { type Outcome, play } from './play';

export type Results = Record<string, Record<string, Outcome>>;

/** Plays every scenario, each as often as `runs` says. */
export async function playAll(runs?: number): Promise<Results> {
	const results: Results = {};
	for (const [group, { scenarios }] of Object.entries(groups)) {
		const outcomes: Results[string] = (results[group] = {});
		for (const [name, one] of Object.entries(scenarios)) outcomes[name] = await play(one, runs);
	}
	return results;
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

/** A page with a table for each group of scenarios. */
export function pageOf(results: Results): string {
	const tables = Object.entries(groups).map(([group, { title }]) => {
		const outcomes = results[group] ?? {};
		const { mean, worst, refused, failed } = summaryOf(Object.values(outcomes));
		return [
			`## ${title}`,
			'',
			`Mean ${mean.toFixed(2)}, worst ${worst.toFixed(2)}, ${refused} refusals, ${failed} failed items`,
			'',
			'| limit | time ÷ shortest | seconds | refused | of one item | failed |',
			'| --- | --: | --: | --: | --: | --: |',
			...Object.entries(outcomes).map(rowOf),
			'',
		].join('\n');
	});
	return `${HEAD}\n${tables.join('\n')}\n<!-- prettier-ignore-end -->\n`;
}

const HEAD = `# What the rate limiter does with each limit

\`npm run limits\` plays these scenarios on a virtual clock and writes this page. Each number is the mean of six runs; failed items are
the sum. The shortest time is that of a client that knows the limit. Processes know nothing of each other.

Two kinds of rows can be below 1.00. Where all is refused, or the service is away for good, the shortest time is that of all retries of
all items, and what waits fails after five minutes. Where requests cost tokens at random, the shortest time is that of the average cost.

<!-- prettier-ignore-start -->
`;

function rowOf([limit, outcome]: [string, Outcome]): string {
	const { ratio, seconds, refused, mostRefused, failed } = outcome;
	return `| ${limit} | ${ratio.toFixed(2)} | ${seconds.toFixed(0)} | ${refused} | ${mostRefused} | ${failed} |`;
}
