import { type Played } from './play/played';
import { itemsOf } from './promises/sameEverywhere';

/** What a scenario comes to, without ids and times: to be compared with the same scenario in a real n8n. */
export interface Outcome {
	/** Of the executions, in their order. */
	statuses: string[];
	/** The items of each run of our nodes, in each execution. */
	items: Record<string, string>;
	/** What was asked of the service, but for polls: endpoint and prompt. */
	requests: string[];
}

export function outcomeOf(played: Played): Outcome {
	const { rows, truth } = played;
	const asked = truth.requests.filter(({ endpoint }) => endpoint !== 'poll');
	return {
		statuses: rows.map(({ status }) => status),
		items: Object.assign(
			{},
			...rows.map((row) => prefixed(`execution ${row.id}, `, itemsOf(played, row.id))),
		) as Outcome['items'],
		requests: asked.map(({ endpoint, prompt }) => `${endpoint} "${prompt}"`).sort(),
	};
}

function prefixed(prefix: string, items: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(items).map(([name, text]) => [prefix + name, text]));
}
