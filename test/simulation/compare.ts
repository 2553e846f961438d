import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Played } from './play/played';
import { shownOf } from './promises/evidence';
import { itemsOf } from './promises/sameEverywhere';
import type { Scenario } from './scenario/schema';

export type Builds = Record<Scenario['build'], string>;

/** Where the two builds of a package are. */
export function buildsIn(folder: string): Builds {
	return { undici: folder, verified: join(folder, 'dist-cloud') };
}

/** A fact of a scenario that is another one in another package; undefined where a package has none. */
export interface Difference {
	what: 'accepted' | 'execution' | 'item' | 'error' | 'task ID in the log' | 'task ID shown';
	/** A prompt, an execution, an item or a task. */
	where: string;
	one: string | undefined;
	other: string | undefined;
}

type Facts = Record<Difference['what'], Record<string, string>>;

/**
 * What users and the service see of a scenario: two packages with the same promises agree in it. Times, advice, and requests
 * that the service refused are left out, and so is the order in which an error names several tasks.
 */
function factsOf(played: Played): Facts {
	const { rows, truth, log, thrown } = played;
	const logged = log.map(({ text }) => text).join('\n');
	const shown = rows.map((row) => shownOf(played, row)).join('\n');
	const accepted: Record<string, string> = {};
	for (const request of truth.requests) {
		if (!request.accepted || !/submit|chat/.test(request.endpoint)) continue;
		accepted[request.prompt] = String(Number(accepted[request.prompt] ?? 0) + request.n);
	}
	const tasks = [...truth.tasks.values()].map(({ id, prompt, request }) => {
		const submissions = truth.requests.filter((each) => each.prompt === prompt && each.accepted);
		const where = `submission ${submissions.indexOf(request)} of "${prompt}", task ${request.tasks.indexOf(id)}`;
		return { id, where };
	});
	const isIn = (text: string) =>
		Object.fromEntries(tasks.map(({ id, where }) => [where, String(text.includes(id))]));
	return {
		accepted,
		execution: Object.fromEntries(rows.map(({ id, status }) => [id, status])),
		item: Object.fromEntries(rows.flatMap(({ id }) => eachItem(played, id))),
		// The last try says what the node came to.
		error: Object.fromEntries(
			thrown.map(({ execution, node, message }) => [
				`execution ${execution}, ${node}`,
				whatIsSaid(played, message),
			]),
		),
		'task ID in the log': isIn(logged),
		'task ID shown': isIn(shown),
	};
}

/** Each item of an execution, with the output it is at and its files. */
function eachItem(played: Played, execution: string): Array<[where: string, text: string]> {
	return Object.entries(itemsOf(played, execution)).flatMap(([run, text]) => {
		type Item = [json: IDataObject, files: string[], paired: unknown];
		const [outputs, hasFailed] = JSON.parse(text) as [Item[][], boolean];
		const items = outputs.flatMap((list, output) =>
			list.map(([json, files, paired]) => ({ output, json, files, paired })),
		);
		const place = `execution ${execution}, ${run}`;
		return [
			...(hasFailed ? [[place, 'failed'] as [string, string]] : []),
			...items.map(({ output, json, files, paired }, index): [string, string] => {
				const before = items.slice(0, index).filter((each) => isEqual(each.paired, paired));
				const fact = JSON.stringify([output, json, files], (name, value: unknown) =>
					name === 'error' && typeof value === 'string'
						? whatIsSaid(played, value)
						: untimed(name, value),
				);
				return [`${place}, item ${JSON.stringify(paired)}, ${before.length}`, fact];
			}),
		];
	});
}

function isEqual(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

/** What a refusal asks for is a matter of time. */
function untimed(name: string, value: unknown): unknown {
	return name === 'retry_after' || name === 'rate_limit' ? undefined : value;
}

/** The first sentence of an error, and the items and tasks that it names. */
function whatIsSaid({ truth }: Played, message: string): string {
	const [sentence = ''] = message.split(/\. |\.?$|\n/);
	const items = [...message.matchAll(/\bitems? ([\d, ]+\d|\d)/g)].flatMap(([, list = '']) =>
		list.split(', '),
	);
	const named = [...truth.tasks.values()].filter(({ id }) => message.includes(id));
	const tasks = named.map(({ prompt }) => `a task of "${prompt}"`);
	let head = sentence.replace(/ ?\[item \d+\]/, '');
	for (const { id } of truth.tasks.values()) head = head.replaceAll(id, '…');
	return [
		head,
		...new Set(items.toSorted().map((item) => `item ${item}`)),
		...tasks.toSorted(),
	].join(', ');
}

/**
 * Those in which a user of the other package has less: a good item, a task that is named, an execution that succeeds; or
 * pays for more than what became another good item.
 */
export function worseIn(differences: Difference[]): Difference[] {
	const gained = (prompt: string) => {
		const of = (text: string | undefined) => isGood(text) && text.includes(`${prompt}"`);
		const items = differences.filter(({ what }) => what === 'item');
		return (
			items.filter(({ other }) => of(other)).length - items.filter(({ one }) => of(one)).length
		);
	};
	return differences.filter(({ what, where, one, other }) => {
		if (what === 'item') return isGood(one) && !isGood(other);
		if (what === 'execution') return one === 'success';
		if (what === 'accepted') return Number(other ?? 0) - Number(one ?? 0) > gained(where);
		return what !== 'error' && one === 'true' && other === 'false';
	});
}

function isGood(item: string | undefined): item is string {
	if (!item?.startsWith('[')) return false;
	const [, json] = JSON.parse(item) as [number, IDataObject];
	return json.error === undefined;
}

/** What differs between a scenario in one package and in another. */
export function differencesBetween(one: Played, other: Played): Difference[] {
	const [these, those] = [factsOf(one), factsOf(other)];
	return (Object.keys(these) as Array<Difference['what']>).flatMap((what) => {
		const [left, right] = [these[what], those[what]];
		return Object.keys({ ...left, ...right }).flatMap((where) =>
			left[where] === right[where] ? [] : [{ what, where, one: left[where], other: right[where] }],
		);
	});
}
