import type { INodeProperties } from 'n8n-workflow';
import { invalidInput, parseTaskId, plainText } from '../../../gateway';
import type { FormReader } from '../../shared/form/formReader';

export const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id ?? $json.error?.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned, or several with commas in between. The service keeps tasks for about 7 days.',
};

/** As a spreadsheet shows a long number, of which it has stored the first digits alone. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** As many as a hint after a Stop names. */
const MAX_IDS = 100;

/** An expression that is the `task_id` of one item: the ID as the service wrote it, which may have spaces and commas. */
const ONE_ID = /^=\s*\{\{[^{}]*(?:\.task_id|\[['"]task_id['"]\])\s*\}\}\s*$/;

/**
 * The IDs of tasks that someone submitted earlier, wherever that was: one, or several with commas or white space in between.
 * @throws GatewayError
 */
export function readTaskIds(form: FormReader, itemIndex: number): string[] {
	const value = form.read('taskId', itemIndex);
	const isLong = typeof value === 'number' && !Number.isSafeInteger(value);
	const isShort = typeof value === 'string' && ROUNDED.test(value.trim());
	// No task has the ID that is left.
	if (isLong || isShort)
		throw invalidInput(
			'taskId',
			`Task ID ${plainText(value)} is a rounded number`,
			'Spreadsheets and JavaScript round long numbers. Store the IDs as text, and enter them again. Nothing was sent to the service.',
		);
	const written = form.written('taskId') ?? plainText(taskIdProperty.default);
	// The value of an expression has spaces on purpose.
	const isOne =
		written.startsWith('=') && (ONE_ID.test(written) || !/[,\r\n]/.test(plainText(value)));
	if (typeof value !== 'string' || isOne) return [parseTaskId(value)];
	const ids = [...new Set(value.split(/[\s,]+/).filter(Boolean))];
	if (ids.length > MAX_IDS)
		throw invalidInput(
			'taskId',
			`Task ID has ${ids.length} IDs, and ${MAX_IDS} are the most for one item`,
			'Put the IDs into several items. Nothing was sent to the service.',
		);
	return ids.length === 0 ? [parseTaskId('')] : ids.map(parseTaskId);
}
