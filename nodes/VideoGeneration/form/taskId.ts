import type { INodeProperties } from 'n8n-workflow';
import { invalidInput, parseTaskId } from '../../../gateway';
import type { FormReader } from '../../shared/form/formReader';

export const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned, or several with commas in between. The service keeps tasks for about 7 days.',
};

/** As many as a hint after a Stop names. */
const MAX_IDS = 100;

/** An expression that is the `task_id` of one item: the ID as the service wrote it, which may have spaces and commas. */
const ONE_ID = /^=\s*\{\{[^{}]*(?:\.task_id|\[['"]task_id['"]\])\s*\}\}\s*$/;

/** An entry of the list of tasks in an error and in the log. */
const LISTED = /\[item \d+\] (\S+): /g;

/**
 * The IDs of tasks that someone submitted earlier, wherever that was: one, or several as the node's hints, errors and log write them.
 * @throws GatewayError
 */
export function readTaskIds(form: FormReader, itemIndex: number): string[] {
	const value = form.read('taskId', itemIndex);
	const written = form.written('taskId') ?? String(taskIdProperty.default);
	// The value of an expression has spaces on purpose.
	const isOne = written.startsWith('=') && (ONE_ID.test(written) || !/[,\r\n]/.test(String(value)));
	if (typeof value !== 'string' || isOne) return [parseTaskId(value)];
	const listed = [...value.matchAll(LISTED)].flatMap(([, id]) => id ?? []);
	const named = listed.length > 0 ? listed : value.split(/[\s,]+/).filter(Boolean);
	const ids = [...new Set(named)];
	if (ids.length > MAX_IDS)
		throw invalidInput(
			'taskId',
			`Task ID has ${ids.length} IDs, and ${MAX_IDS} are the most for one item`,
			'Put the IDs into several items. Nothing was sent to the service.',
		);
	return ids.length === 0 ? [parseTaskId('')] : ids.map(parseTaskId);
}
