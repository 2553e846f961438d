import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { promptFor, unchanging } from '../scenario/workflow';
import type { ScenarioItem } from '../scenario/schema';
import { dataOf } from '../play/rows';
import type { Played } from '../play/played';
import { answerText } from '../service/settings';
import { contents } from './contents';
import { errorOf, isErrorItem, itemOf as indexIn, type NodeRun, nodeRuns } from './evidence';
import type { Promised } from './promise';

/** The answer of item i belongs to prompt i, in order; errors take the error branch, and nothing else does. */
export const right: Promised = {
	name: 'Right',
	says: 'The output of an item belongs to its prompt, in order, whole and as the service sent it; failed items take the error branch, and no others.',
	except: [
		'A video that is cut off in a way that its length does not show cannot be told from a whole one.',
	],
	alsoKeptBy: ['test/nodes/items/expressions.test.ts'],
	check: (played) => [
		...contents(played),
		...(played.scenario.shape === 'agent'
			? answersOfAgent(played)
			: nodeRuns(played).flatMap((run) => [
					...answers(played, run),
					...branches(run),
					...order(run),
					...missing(run),
					...repeated(run),
				])),
	],
};

/** What an agent's model answered. */
function answersOfAgent({ rows, scenario }: Played): string[] {
	return rows.flatMap((row) => {
		const runs = dataOf(row).resultData.runData.Agent ?? [];
		const items = runs.flatMap(({ data }) => data?.main?.[0] ?? []);
		return items.flatMap(({ json: { prompt, text } }) =>
			prompt === undefined || isAnswer(text, String(prompt), scenario)
				? []
				: [`execution ${row.id}: the agent asked "${String(prompt)}" and heard "${String(text)}"`],
		);
	});
}

/** Two outputs of a run, good or failed, are of one task or, where there is none, of one item. */
function repeated({ node, outputs, row }: NodeRun): string[] {
	const isVideo = node.kind === 'video';
	// Two items of Get or Wait may name one task.
	if (node.kind === 'list' || (isVideo && !/generate|submit/.test(node.operation))) return [];
	const items = new Map<string, number>();
	return outputs.flat().flatMap((output) => {
		if (isOfAlwaysOutputData(output)) return [];
		const index = indexOf(output);
		const taskId = isVideo ? (output.json.task_id ?? errorOf(output)?.task_id) : undefined;
		const one = typeof taskId === 'string' ? `task ${taskId}` : `item ${index}`;
		const first = items.get(one);
		items.set(one, index);
		return first === undefined
			? []
			: [`execution ${row.id}, ${node.name}: items ${first} and ${index} are of one ${one}`];
	});
}

function answers(played: Played, { node, outputs, input, row }: NodeRun): string[] {
	return outputs.flat().flatMap((output): string[] => {
		if (isOfAlwaysOutputData(output)) return [];
		if (isErrorItem(output) || node.kind === 'list' || output.pairedItem === undefined) return [];
		const item = itemOf(played, input[indexOf(output)]);
		if (item === undefined) return [];
		const prompt = promptFor(node, item);
		const what = `execution ${row.id}, ${node.name}: the item of "${prompt}"`;
		const { json } = output;
		if (node.kind === 'chat') {
			const said = node.simplify === false ? textIn(json) : json.text;
			return isAnswer(said, prompt, played.scenario) ? [] : [`${what} has "${String(said)}"`];
		}
		if (node.kind !== 'video') return [];
		const id = String(json.task_id);
		const task = played.truth.tasks.get(id);
		if (task === undefined)
			return json.task_id === undefined || played.truth.withoutTaskIds.has(id)
				? []
				: [`${what} has an unknown task ${id}`];
		if (node.operation !== 'get' && node.operation !== 'wait' && task.prompt !== prompt)
			return [`${what} has the task of "${task.prompt}"`];
		if (node.operation === 'submit' && json.revised_prompt === undefined)
			return [`${what} has no revised_prompt`];
		return [];
	});
}

/** The answer to a prompt, whole. */
function isAnswer(text: unknown, prompt: string, { service }: Played['scenario']): boolean {
	return unchanging(String(text)) === unchanging(answerText(prompt, service));
}

/** With Simplify off. */
function textIn({ choices = [] }: IDataObject): unknown {
	const [choice] = choices as Array<{ message?: { content?: unknown } }>;
	return choice?.message?.content;
}

/** Where a node has no item, n8n makes an empty one. */
function isOfAlwaysOutputData({ json }: INodeExecutionData): boolean {
	return Object.keys(json).length === 0;
}

/** The item of the trigger that an item comes from: all nodes hand on `index`, or the prompt shows it. */
function itemOf(
	{ scenario }: Played,
	input: INodeExecutionData | undefined,
): ScenarioItem | undefined {
	const index = input?.json.index;
	return typeof index === 'number' ? scenario.items[index] : undefined;
}

const indexOf = ({ pairedItem }: INodeExecutionData) => indexIn(pairedItem);

function branches({ node, outputs, row, task }: NodeRun): string[] {
	if (node.onError !== 'continueErrorOutput' || task.error !== undefined) return [];
	const [good = []] = outputs;
	return good
		.filter(isErrorItem)
		.map(() => `execution ${row.id}, ${node.name}: an error item on the normal output`);
}

function order({ node, outputs, row }: NodeRun): string[] {
	return outputs.flatMap((items) => {
		const indexes = items.map(indexOf);
		const isSorted = indexes.every((index, place) => place === 0 || index >= indexes[place - 1]!);
		return isSorted || node.kind === 'list'
			? []
			: [`execution ${row.id}, ${node.name}: items out of order`];
	});
}

/** Every input item has an output, in a run that succeeded: with Execute Once the first one, and no other. */
function missing({ node, outputs, row, task, input }: NodeRun): string[] {
	const isWhole =
		task.executionStatus === 'success' && row.status === 'success' && task.error === undefined;
	if (!isWhole || node.kind === 'list' || input.length === 0) return [];
	const seen = new Set(outputs.flat().map(indexOf));
	const expected = node.executeOnce ? input.slice(0, 1) : input;
	const isExpected = (index: number) => index < expected.length;
	return [...input.keys()]
		.filter((index) => seen.has(index) !== isExpected(index))
		.map((index) => {
			const what = isExpected(index) ? 'has no output' : 'has an output in spite of Execute Once';
			return `execution ${row.id}, ${node.name}: item ${index} ${what}`;
		});
}
