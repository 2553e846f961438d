import type { IExecuteFunctions } from 'n8n-workflow';

/** What the runs of a workflow that were stopped paid for. */
interface StoppedRuns {
	/** Of videos that nobody has got since. */
	ids: string[];
	/** The execution whose Generate or Submit told it in place of making new videos. */
	toldIn?: string;
}

/**
 * By the ID of their workflow: n8n loses the output of a node that it stops. Forgotten when the process ends, and for each task when
 * Get or Wait has got it.
 */
const stoppedRuns = new Map<string, StoppedRuns>();

/** Tasks of one workflow, and workflows, that this process remembers. */
const MAX_REMEMBERED = 100;

/** What n8n's editor calls every workflow that is not saved. */
const NOT_SAVED = '__EMPTY__';

type WorkflowContext = Partial<
	Pick<IExecuteFunctions, 'getWorkflow' | 'getMode' | 'getExecutionId'>
>;

function workflowOf(context: WorkflowContext): string {
	const id = context.getWorkflow?.().id ?? '';
	return id === NOT_SAVED ? '' : id;
}

/** Stop was pressed: the videos with these IDs are paid for, and still being made. */
export function rememberStopped(context: WorkflowContext, ids: string[]): void {
	const workflow = workflowOf(context);
	if (workflow === '' || ids.length === 0) return;
	const all = new Set([...(stoppedRuns.get(workflow)?.ids ?? []), ...ids]);
	stoppedRuns.delete(workflow);
	stoppedRuns.set(workflow, { ids: [...all].slice(-MAX_REMEMBERED) });
	for (const old of [...stoppedRuns.keys()].slice(0, -MAX_REMEMBERED)) stoppedRuns.delete(old);
}

/** The videos with these IDs are no longer being made, and their user knows of it. */
export function forgetStopped(context: WorkflowContext, ids: string[]): void {
	const workflow = workflowOf(context);
	const stopped = stoppedRuns.get(workflow);
	if (stopped === undefined) return;
	stopped.ids = stopped.ids.filter((id) => !ids.includes(id));
	if (stopped.ids.length === 0) stoppedRuns.delete(workflow);
}

/** In a manual run: the IDs of the videos that stopped runs of its workflow paid for. */
export function stoppedBefore(context: WorkflowContext): string[] {
	if (context.getMode?.() !== 'manual') return [];
	return stoppedRuns.get(workflowOf(context))?.ids ?? [];
}

/**
 * The same, where no execution after the Stop has told of them yet: this one does, in place of making new videos, also in a
 * second try of its node and in other nodes.
 */
export function tellOfStopped(context: WorkflowContext): string[] {
	const stopped = stoppedRuns.get(workflowOf(context));
	const execution = context.getExecutionId?.() ?? '';
	if (stopped === undefined || stoppedBefore(context).length === 0) return [];
	stopped.toldIn ??= execution;
	return stopped.toldIn === execution ? stopped.ids : [];
}
