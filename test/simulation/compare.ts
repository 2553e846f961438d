import { join } from 'node:path';
import { type Played } from './play/played';
import type { Scenario } from './scenario/schema';
import { itemsOf } from './promises/sameEverywhere';
import { shownOf } from './promises/evidence';

export type Builds = Record<Scenario['build'], string>;

/** Where the two builds of a package are. */
export function buildsIn(folder: string): Builds {
	return { undici: folder, verified: join(folder, 'dist-cloud') };
}

/** What the same scenario came to in two packages. */
export interface Difference {
	/** Which of the facts below. */
	what: string;
	one: string[];
	other: string[];
}

/** What users and the service see of a scenario, without times: two packages with the same promises agree in it. */
function factsOf(played: Played): Record<string, string[]> {
	const { rows, truth, log } = played;
	const billable = truth.requests.filter(({ endpoint }) => /submit|chat/.test(endpoint));
	const logged = log.map(({ text }) => text).join('\n');
	const ids = [...truth.tasks.values()].map((task) => ({
		task,
		name: `${task.prompt} ${task.id}`,
	}));
	const shown = rows.map((row) => shownOf(played, row)).join('\n');
	return {
		submissions: billable.map(({ endpoint, prompt, n }) => `${endpoint} "${prompt}" ${n}`).sort(),
		statuses: rows.map(({ id, status }) => `execution ${id}: ${status}`),
		items: rows.flatMap((row) =>
			Object.entries(itemsOf(played, row.id)).map(
				([place, items]) => `execution ${row.id}, ${place}: ${items}`,
			),
		),
		errors: played.thrown.map(
			({ execution, node, message }) => `execution ${execution}, ${node}: ${message}`,
		),
		'task ids in the log': ids
			.filter(({ task }) => logged.includes(task.id))
			.map(({ name }) => name),
		'task ids in items and errors': ids
			.filter(({ task }) => shown.includes(task.id))
			.map(({ name }) => name),
	};
}

/** What differs between a scenario in one package and in another; of each fact, what only one of them has. */
export function differencesBetween(one: Played, other: Played): Difference[] {
	const [these, those] = [factsOf(one), factsOf(other)];
	return Object.keys(these).flatMap((what) => {
		const [left, right] = [these[what] ?? [], those[what] ?? []];
		if (left.join('\n') === right.join('\n')) return [];
		return [{ what, one: without(left, right), other: without(right, left) }];
	});
}

/** Equal entries count as often as they occur. */
function without(entries: string[], others: string[]): string[] {
	const left = [...others];
	return entries.filter((entry) => {
		const at = left.indexOf(entry);
		if (at >= 0) left.splice(at, 1);
		return at < 0;
	});
}
