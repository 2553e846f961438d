import type { INodeExecutionData } from 'n8n-workflow';
import type { Played } from '../play/played';
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
