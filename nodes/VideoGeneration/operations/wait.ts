import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import { eachItem } from '../../shared/eachItem';
import { downloadProperties, readOutputOptions, simplifyProperty } from '../output';
import type { OpenRun } from '../videoRun';
import { readTaskId, taskIdProperty } from '../taskId';
import { readWaitOptions, waitOptionsProperty } from '../waitOptions';

export const option: INodePropertyOptions = {
	name: 'Wait',
	value: 'wait',
	action: 'Wait for a submitted video',
	description: 'Wait until a video that was submitted before is finished',
};

const properties: INodeProperties[] = [
	taskIdProperty,
	...downloadProperties,
	simplifyProperty,
	waitOptionsProperty,
];

export const description = updateDisplayOptions(
	{ show: { operation: [option.value] } },
	properties,
);

/** Waits for tasks that were submitted before, wherever and whenever that was. */
export async function execute(
	context: IExecuteFunctions,
	open: OpenRun,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const { tasks, log } = open(service);
		return {
			prepare: (itemIndex) => ({
				taskId: readTaskId(context, itemIndex),
				wait: readWaitOptions(context, itemIndex),
				output: readOutputOptions(context, itemIndex),
			}),
			async run({ taskId, wait, output }, itemIndex) {
				const task = log.note({ id: taskId, status: 'processing' });
				const finish = async () => {
					const finished = await tasks.wait(task, wait, output);
					return await tasks.toItem(finished, output, itemIndex);
				};
				return { pending: tasks.together([finish()], itemIndex) };
			},
		};
	});
}
