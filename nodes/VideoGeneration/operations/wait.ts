import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { type BookEntry, parseTaskId } from '../../../gateway';
import { type PaidBook, unknownTask } from '../../shared/book/book';
import { taskFields } from '../item';
import {
	downloadProperties,
	outputOptionsProperty,
	readOutputOptions,
	simplifyProperty,
} from '../outputOptions';
import type { Planned, VideoRun } from '../videoTasks';
import { readWaitOptions, waitOptionsProperty } from '../waitOptions';

export const option: INodePropertyOptions = {
	name: 'Wait',
	value: 'wait',
	action: 'Wait for a submitted video',
	description: 'Wait until a video submitted earlier is finished',
};

export const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned. The service keeps tasks for about 7 days.',
};

export const properties: INodeProperties[] = [
	taskIdProperty,
	...downloadProperties,
	simplifyProperty,
	outputOptionsProperty,
	waitOptionsProperty,
];

export const outputFields = taskFields;

/**
 * The entry of an item about a task that someone submitted earlier, wherever that was.
 * @throws InvalidInputError
 */
export function entryOfForm(context: IExecuteFunctions, book: PaidBook, item: number): BookEntry {
	const taskId = parseTaskId(context.getNodeParameter('taskId', item, ''));
	return book.add({ item, tasks: [unknownTask(taskId)] });
}

/** Waits for tasks that were submitted before. */
export function plan({ book, service: { context } }: VideoRun, itemIndex: number): Planned {
	const output = readOutputOptions(context, itemIndex);
	const wait = readWaitOptions(context, itemIndex);
	return {
		entry: Object.assign(entryOfForm(context, book, itemIndex), { settings: { wait, output } }),
	};
}
