import type { IExecuteFunctions } from 'n8n-workflow';
import { BOUNDS, idText, msBetween, systemClock, type WallTime } from '../../gateway';
import { noteInExecution, type PaidBook } from '../shared/book/book';
import { asHtml, hintAfterRun } from '../shared/form/hints';
import { anotherNode } from './item';

/** In the execution's custom data. */
const KEY = 'video_task_ids';
/** Characters. n8n logs an error for a longer value. */
const MAX_VALUE = 255;

/** Notes the ids of paid tasks. The newest come first; those that do not fit are counted. */
export function noteTaskIds(context: IExecuteFunctions, taskIds: string[]): void {
	noteInExecution(context, KEY, (list) => withTaskIds(list, taskIds));
}

/** The newest of them, for an execution of which n8n kept nothing else. */
export function notedTaskIds({ customData }: Partial<IExecuteFunctions>): string {
	return customData?.get(KEY) ?? '';
}

/**
 * Adds ids to a list such as `c, b, a` or `c, b +12`. An id that does not fit is counted, never cut.
 * @returns at most 255 characters
 */
export function withTaskIds(list: string, taskIds: string[]): string {
	const uncounted = /(?:^| )\+(\d+)$/.exec(list);
	const earlier = list.slice(0, uncounted?.index);
	const ids = [...taskIds, ...(earlier === '' ? [] : earlier.split(', '))];
	const all = ids.length + Number(uncounted?.[1] ?? 0);
	const counted = (shown: string[]) =>
		[shown.join(', '), all > shown.length && `+${all - shown.length}`].filter(Boolean).join(' ');
	const fitting = ids.reduce<string[]>((shown, id) => {
		const more = [...shown, id];
		return counted(more).length <= MAX_VALUE ? more : shown;
	}, []);
	return counted(fitting);
}

/** Tasks of one node, and nodes, that this process remembers. */
const MAX_REMEMBERED = 100;

/** By node, what n8n itself keeps nothing of: a Stop loses the output of a node that runs. */
const remembered = new Map<string, { ids: string[]; at: WallTime }>();

/** Remembers what a stopped run paid for, until the next manual run of its node. */
export function rememberStopped(context: IExecuteFunctions, { entries }: PaidBook): void {
	const paid = entries
		.flatMap(({ tasks }) => tasks)
		.filter(({ entry, submittedAt }) => submittedAt !== undefined && entry.status !== 'failed');
	const node = nodeOf(context);
	const ids = [...(remembered.get(node)?.ids ?? []), ...paid.map(({ entry }) => entry.id)];
	if (ids.length === 0) return;
	remembered.delete(node);
	remembered.set(node, {
		ids: [...new Set(ids)].slice(-MAX_REMEMBERED),
		at: systemClock.wallTime(),
	});
	for (const old of [...remembered.keys()].slice(0, -MAX_REMEMBERED)) remembered.delete(old);
}

/** Hints once at the videos of earlier runs of this node that were stopped, while the service keeps them. */
export function hintAboutStopped(context: IExecuteFunctions): void {
	if (context.getMode?.() !== 'manual') return;
	const stopped = remembered.get(nodeOf(context));
	remembered.delete(nodeOf(context));
	if (!stopped || msBetween(stopped.at, systemClock.wallTime()) >= 1000 * BOUNDS.maxWait[1]) return;
	const ids = asHtml(stopped.ids.map(idText).join(', '));
	const advice = `To get them without paying again, ${anotherNode('Wait', 'each task ID')}.`;
	hintAfterRun(context, `Videos of the run that was stopped are paid: ${ids}. ${advice}`);
}

function nodeOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow?.()?.id ?? ''} ${context.getNode().id}`;
}
