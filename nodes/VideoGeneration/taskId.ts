import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { type BookEntry, parseTaskId } from '../../gateway';
import { type PaidBook, unknownTask } from '../shared/book/book';
import type { VideoRun } from './videoRun';

export const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned. The service keeps tasks for about 7 days.',
};

/** @throws InvalidInputError */
export function readTaskId(context: IExecuteFunctions, itemIndex: number): string {
	return parseTaskId(context.getNodeParameter('taskId', itemIndex, ''));
}

/** Names the tasks that the form asks for. */
export function addTasksOfForm(context: IExecuteFunctions, book: PaidBook): void {
	for (const item of context.getInputData().keys()) {
		try {
			book.add({ item, tasks: [unknownTask(readTaskId(context, item))] });
		} catch {
			// An item whose Task ID cannot be read has its own error.
		}
	}
}

/** The entry of an item about a task that someone submitted earlier, wherever that was. */
export function knownTask({ book }: VideoRun, taskId: string, item: number): BookEntry {
	return book.add({ item, tasks: [unknownTask(taskId)] });
}
