import type { INodeProperties } from 'n8n-workflow';
import { parseTaskId } from '../../../gateway';
import type { FormReader } from '../../shared/form/formReader';

export const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned. The service keeps tasks for about 7 days.',
};

/**
 * The ID of a task that someone submitted earlier, wherever that was.
 * @throws GatewayError
 */
export function readTaskId(form: FormReader, itemIndex: number): string {
	const value = form.read('taskId', itemIndex);
	// A pasted ID may have a line break. An expression reads the ID as the service wrote it.
	const isPasted = typeof value === 'string' && form.isText('taskId');
	return parseTaskId(isPasted ? value.trim() : value);
}
