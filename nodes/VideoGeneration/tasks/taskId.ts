import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parseTaskId } from '../../../gateway';

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
