import type { INodeExecutionData } from 'n8n-workflow';
import type { Played } from '../play/played';
import { errorOf, isErrorItem, type NodeRun, nodeRuns } from './evidence';
import { fieldsSet } from './formFields';
import { differenceOf, finishOf, isSimplified, taskOf, tokensOf } from './hintNumbers';

/** The numbers of a hint, and what they must be; `undefined` where the run does not tell. */
interface Counted {
	/** The kinds of nodes that show it. */
	of: RegExp;
	says: RegExp;
	/** Empty where there must be no such hint. */
	are: (run: NodeRun, played: Played) => number[] | undefined;
}

/** Of items of one run. */
const HINTS: Counted[] = [
	{
		of: /chat|video|list/,
		says: /^(Items? [^:]* failed: .*)/,
		are: ({ outputs }) => {
			const failed = outputs.flat().filter((output) => errorOf(output)?.code !== undefined);
			const kinds = failed.map((output) => `${indexOf(output)} ${errorOf(output)?.code}`);
			return some(new Set(kinds).size);
		},
	},
	{
		of: /chat/,
		says: /^(\d+) answers? (?:is|are) cut off \(finish_reason: length\)/,
		are: (run) => some(good(run).filter((output) => finishOf(output) === 'length').length),
	},
	{
		of: /chat/,
		says: /^(\d+) answers? (?:is|are) the first of several choices/,
		are: (run, { truth }) => {
			const several = truth.requests.filter(({ fault }) => fault === 'choices-reversed');
			const ids = good(run).map(({ json }) => `"id":"${String(json.id)}"`);
			const first = ids.filter((id) => several.some(({ answer }) => answer.includes(id)));
			return isSimplified(run) ? some(first.length) : [];
		},
	},
	{
		of: /chat|video/,
		says: /^(\d+) (?:answers?|videos?) (?:is|are) without the input field "error"/,
		are: (run) => {
			const isPassedOn = 'includeInputFields' in run.node && run.node.includeInputFields;
			const given = good(run).filter(
				(output) => 'error' in (run.input[indexOf(output)]?.json ?? {}),
			);
			return isPassedOn ? some(given.length) : [];
		},
	},
	{
		of: /list/,
		says: /^No model of this account matches the filters\.$/,
		are: ({ outputs, input }) => (outputs.flat().length === 0 && input.length > 0 ? [NaN] : []),
	},
	{
		of: /chat/,
		says: /^(\d+) requests were answered(?:: ([\d,]+) tokens)?/,
		are: (run) => {
			const tokens = good(run).map(({ json }) => tokensOf(json));
			if (tokens.length < 2) return [];
			const sum = tokens.reduce((all, each) => all + each, 0);
			return [tokens.length, ...(Number.isNaN(sum) ? [] : [sum])];
		},
	},
	{
		of: /generate|submit/,
		says: /^(\d+) videos were submitted: (.*)/,
		are: (run) => {
			const { node, outputs } = run;
			// The service's default.
			const { duration = 5 } = fieldsSet(node);
			const videos = outputs.flat().filter((output) => taskOf(output) !== undefined).length;
			return videos < 2 ? [] : [videos, videos * Number(duration)];
		},
	},
	{
		of: /generate|submit/,
		says: /^(\d+) videos? (?:is|are) not waited for: /,
		are: () => [],
	},
	{
		of: /generate|submit/,
		says: /^(\d+) videos? (?:is|are) missing: /,
		are: (run, played) => some(differenceOf(run, played, (asked, made) => asked - made)),
	},
	{
		of: /generate|submit/,
		says: /^(\d+) videos? (?:is|are) beyond what one submission asked for/,
		are: (run, played) => some(differenceOf(run, played, (asked, made) => made - asked)),
	},
	{
		of: /generate|wait/,
		says: /^(\d+) videos? (?:is|are) not finished: Max Wait is over/,
		are: (run) =>
			some(good(run).filter(({ json }) => !/completed|failed/i.test(String(json.status))).length),
	},
	{
		of: /generate/,
		says: /^(\d+) videos? (?:is|are) not downloaded\. (.*)/,
		are: (run) => {
			const without = finished(run).filter(({ binary }) => !binary);
			const urls = without.flatMap(({ json: { url } }) => (typeof url === 'string' ? [url] : []));
			const links = Math.min(urls.length, MAX_LINKS);
			return without.length === 0 ? [] : [without.length, links];
		},
	},
	{
		of: /get|wait/,
		says: /^(\d+) videos? (?:is|are) not downloaded\./,
		are: (run) => some(finished(run).filter(({ json, binary }) => !json.url && !binary).length),
	},
	{
		of: /generate|wait|get/,
		says: /^Several videos have the file name/,
		are: (run) => {
			const names = run.outputs.flat().flatMap(({ binary }) => binary?.data?.fileName ?? []);
			return new Set(names).size < names.length ? [NaN] : [];
		},
	},
];

export function hintCounts(played: Played): string[] {
	return nodeRuns(played).flatMap((run) => {
		const { node, row, task, outputs } = run;
		const kind = node.kind === 'video' ? node.operation : node.kind;
		// An error is shown instead of hints; an agent reads none.
		const isWhole = task.error === undefined && task.executionStatus === 'success';
		// Of a wait that was stopped, n8n's Retry hands on what it has, and runs nothing.
		const isRun = played.tries.some((each) => each.execution === row.id && each.node === node.name);
		if (!isWhole || !isRun || row.status !== 'success' || played.scenario.shape === 'agent')
			return [];
		// Always Output Data makes an empty item where there is none.
		if (outputs.flat().some(({ json }) => Object.keys(json).length === 0)) return [];
		const messages = (task.hints ?? []).map(({ message }) => message);
		return HINTS.filter(({ of }) =>
			of.test(kind === 'generate' ? 'generate video' : `${kind} ${node.kind}`),
		).flatMap(({ says, are }) => {
			const expected = are(run, played);
			if (expected === undefined) return [];
			const shown = messages.filter((message) => says.test(message));
			const numbers = shown.flatMap((message) => numbersIn(message, says));
			if (same(numbers, expected) && shown.length <= 1) return [];
			const right =
				expected.length === 0 ? 'there must be none' : `it must be ${expected.join(', ')}`;
			return [
				`execution ${row.id}, ${node.name}: hint ${String(says)} says ${shown.join(' / ') || 'nothing'}; ${right}`,
			];
		});
	});
}

function same(numbers: number[], expected: number[]): boolean {
	return (
		numbers.length === expected.length && numbers.every((one, at) => Object.is(one, expected[at]))
	);
}

/** The seconds of a list of sizes are added up. */
function numbersIn(message: string, says: RegExp): number[] {
	const [, ...groups] = says.exec(message) ?? [];
	if (groups.length === 0) return [NaN];
	return groups.flatMap((group) => {
		if (group === undefined) return [];
		if (group.includes(' failed: ')) return [failuresIn(group)];
		if (group.includes('Download')) return [group.split('<a href="http').length - 1];
		const seconds = [...group.matchAll(/([\d.]+) s of/g)].map(([, count]) => Number(count));
		if (seconds.length > 0) return [seconds.reduce((sum, each) => sum + each, 0)];
		return [Number(group.replaceAll(',', ''))];
	});
}

/** Each kind of failure has a sentence, with ten items and the count of the others. */
function failuresIn(message: string): number {
	const lists = [...message.matchAll(/Items? ([\d, and]+?)(?: and (\d+) more)? failed: /g)];
	return lists.reduce(
		(sum, [, items = '', more = 0]) => sum + items.split(/, | and /).length + Number(more),
		0,
	);
}

function some(count: number | undefined): number[] | undefined {
	return count === undefined ? undefined : count > 0 ? [count] : [];
}

function good({ outputs }: NodeRun): INodeExecutionData[] {
	return outputs.flat().filter((output) => !isErrorItem(output));
}

/** Links in one hint. */
const MAX_LINKS = 4;

function finished(run: NodeRun): INodeExecutionData[] {
	return good(run).filter(({ json }) => json.status === 'completed');
}

function indexOf({ pairedItem }: INodeExecutionData): number {
	const [paired] = [pairedItem].flat();
	return typeof paired === 'number' ? paired : (paired?.item ?? 0);
}
