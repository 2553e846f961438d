import type { IExecuteFunctions } from 'n8n-workflow';
import { idText, msBetween, systemClock, type WallTime } from '../../gateway';
import { noteInExecution, type PaidBook } from '../shared/book/book';
import { asHtml, hintAfterRun } from '../shared/form/hints';
import { TASK_RETENTION_S } from './resultOptions';

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

/** Tasks of stopped runs that this process remembers, the newest last. */
const MAX_REMEMBERED = 100;

/** What n8n itself keeps nothing of, by task id: a Stop loses the output of a node that runs. */
const remembered = new Map<string, { node: string; at: WallTime }>();

/** Remembers what a stopped run paid for, until the next manual run of its node. */
export function rememberStopped(context: IExecuteFunctions, { entries }: PaidBook): void {
	const at = systemClock.wallTime();
	for (const { tasks } of entries)
		for (const { entry, submittedAt } of tasks)
			if (submittedAt !== undefined && entry.status !== 'failed')
				remembered.set(entry.id, { node: nodeOf(context), at });
	for (const id of [...remembered.keys()].slice(0, -MAX_REMEMBERED)) remembered.delete(id);
}

/** Hints once for each task of an earlier run of this node that was stopped. */
export function hintAboutStopped(context: IExecuteFunctions): void {
	if (context.getMode?.() !== 'manual') return;
	const now = systemClock.wallTime();
	for (const [id, { node, at }] of [...remembered]) {
		const isKept = msBetween(at, now) < 1000 * TASK_RETENTION_S;
		if (isKept && node !== nodeOf(context)) continue;
		remembered.delete(id);
		if (isKept)
			hintAfterRun(
				context,
				`Task ${asHtml(idText(id))} of the run that was stopped is paid: use Get with this task ID.`,
			);
	}
}

function nodeOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow?.()?.id ?? ''} ${context.getNode().id}`;
}
