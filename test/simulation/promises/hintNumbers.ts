import type { INodeExecutionData } from 'n8n-workflow';
import type { Played } from '../play/played';
import { errorOfConversation } from '../scenario/conversations';
import { promptFor } from '../scenario/workflow';
import { errorOf, isErrorItem, type NodeRun } from './evidence';

export function isSimplified({ node }: NodeRun): boolean {
	return !('simplify' in node) || node.simplify !== false;
}

export function taskOf(output: INodeExecutionData): unknown {
	return isErrorItem(output) ? errorOf(output)?.task_id : output.json.task_id;
}

export function finishOf({ json }: INodeExecutionData): unknown {
	const { choices, finish_reason: simple } = json as {
		choices?: Array<{ finish_reason?: unknown }>;
		finish_reason?: unknown;
	};
	return choices?.[0]?.finish_reason ?? simple;
}

export function tokensOf(json: INodeExecutionData['json']): number {
	const { usage } = json as { usage?: { total_tokens?: number } };
	return usage?.total_tokens ?? NaN;
}

/** The prompts of the items of a run; undefined where an expression does not give those of the scenario. */
export function promptsOf(run: NodeRun, { scenario }: Played): string[] | undefined {
	const { node, input } = run;
	if (node.kind !== 'chat' && node.kind !== 'video') return undefined;
	// Nothing is sent.
	if (node.kind === 'chat' && errorOfConversation(node.conversation)) return undefined;
	if (scenario.events.some(({ what }) => what === 'deleteCredential') && isNotRun(run))
		return undefined;
	const isPlain = node.prompt === 'item' && scenario.shape === 'sequence' && !node.executeOnce;
	const items = input.map(({ json }) => scenario.items[Number(json.index ?? NaN)]);
	const prompts = items.flatMap((item) => (item && !item.bad ? [promptFor(node, item)] : []));
	return isPlain && prompts.length === input.length ? prompts : undefined;
}

/** No item was read: the node itself failed. */
function isNotRun({ outputs }: NodeRun): boolean {
	return outputs.flat().every((output) => errorOf(output)?.code === 'node_error');
}

/** Over all submissions of a run: how many more videos were asked for than made, or the other way. */
export function differenceOf(
	{ node, row }: NodeRun,
	{ scenario, rows, truth, kills, thrown }: Played,
	by: (asked: number, made: number) => number,
): number | undefined {
	const { shape } = scenario;
	const isAlone = rows.length === 1 && kills.length === 0 && /sequence|branches/.test(shape);
	if (!isAlone || thrown.length > 0 || row.status !== 'success') return undefined;
	const sent = truth.requests.filter(
		({ endpoint, prompt, accepted, whole, status }) =>
			endpoint === 'submit' &&
			prompt.endsWith(` for ${node.name}`) &&
			accepted &&
			whole &&
			status === 200,
	);
	return sent.reduce(
		(sum, { n, tasks }) => sum + (tasks.length > 0 ? Math.max(0, by(n, tasks.length)) : 0),
		0,
	);
}
