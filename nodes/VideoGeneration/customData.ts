import type { IExecuteFunctions } from 'n8n-workflow';

/** One of the ten keys that an execution has; the others are the user's. */
const KEY = 'video_task_ids';
/** Characters. n8n logs an error for a longer value. */
const MAX_VALUE = 255;

/**
 * Notes the ids of paid tasks in the execution's custom data. n8n keeps it for an execution that is stopped, of which the
 * output of a running node is lost. The newest ids come first; those that do not fit are counted.
 */
export function noteTaskIds(context: IExecuteFunctions, taskIds: string[]): void {
	try {
		// Older versions of n8n have none. A tool of an MCP Server Trigger has no execution.
		const { customData } = context as Partial<IExecuteFunctions>;
		customData?.set(KEY, withTaskIds(customData.get(KEY) ?? '', taskIds));
	} catch {
		// The ids are in n8n's log, too, and the videos are paid for.
	}
}

/** The newest of them, for an execution of which n8n kept nothing else. */
export function notedTaskIds({ customData }: Partial<IExecuteFunctions>): string {
	return customData?.get(KEY) ?? '';
}

/**
 * Adds ids to a list such as `c, b, a` or `c, b +12`.
 * @returns at most 255 characters
 */
export function withTaskIds(list: string, taskIds: string[]): string {
	const uncounted = /(?:^| )\+(\d+)$/.exec(list);
	const earlier = list.slice(0, uncounted?.index);
	const ids = [...taskIds, ...(earlier === '' ? [] : earlier.split(', '))];
	const total = ids.length + Number(uncounted?.[1] ?? 0);
	for (let shown = ids.length; shown > 0; shown -= 1) {
		const rest = total - shown;
		const value = ids.slice(0, shown).join(', ') + (rest > 0 ? ` +${rest}` : '');
		if (value.length <= MAX_VALUE) return value;
	}
	return `+${total}`;
}
