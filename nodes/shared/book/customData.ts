import type { IExecuteFunctions } from 'n8n-workflow';

/** What has the custom data of an execution: not a tool of an MCP Server Trigger, which has no execution. */
type Context = Partial<Pick<IExecuteFunctions, 'customData'>>;

/** Of the ten values that n8n keeps, the others are the user's. */
const TASK_IDS = ['video_task_ids', 'video_task_ids_2', 'video_task_ids_3', 'video_task_ids_4'];

/** Characters of a value. n8n logs an error for a longer one. */
const MAX_VALUE = 255;

/**
 * Changes one of the ten values of an execution's custom data. n8n keeps it with every execution, also with one that was stopped,
 * of which the output of a running node is lost, and its API returns it.
 */
export function noteInExecution(
	context: Context,
	key: string,
	change: (value: string) => string,
): void {
	try {
		const { customData } = context;
		customData?.set(key, change(customData.get(key) ?? ''));
	} catch {
		// What was sent is paid for, whether or not it is noted.
	}
}

/** Notes the IDs of tasks in the execution, the newest first, as many as have room. */
export function noteTaskIds(context: Context, ids: string[]): void {
	// Whole, in values that each have room for some.
	const values: string[] = [];
	for (const id of [...ids, ...notedTaskIds(context)]) {
		const last = values.at(-1);
		const isJoined = last !== undefined && `${last}, ${id}`.length <= MAX_VALUE;
		if (isJoined) values[values.length - 1] = `${last}, ${id}`;
		else if (id.length <= MAX_VALUE) values.push(id);
	}
	for (const [index, key] of TASK_IDS.entries()) {
		const value = values[index];
		if (value !== undefined) noteInExecution(context, key, () => value);
	}
}

/** The newest task IDs of the execution. */
export function notedTaskIds(context: Context): string[] {
	try {
		const values = TASK_IDS.map((key) => context.customData?.get(key) ?? '');
		return values.flatMap((value) => value.split(', ')).filter(Boolean);
	} catch {
		return [];
	}
}
