import {
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import { isFinished } from '../../../gateway';
import { eachItem } from '../../shared/run/eachItem';
import {
	downloadProperties,
	outputOptionsProperty,
	readOutputOptions,
	simplifyProperty,
} from '../output/outputOptions';
import { taskFields } from '../output/taskItem';
import type { VideoRun } from '../videoRun';
import { readTaskId, taskIdProperty } from '../tasks/taskId';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: "Get a video's status",
	description: 'Get the status of a video submitted earlier, and download it if it is finished',
};

const properties: INodeProperties[] = [
	taskIdProperty,
	...downloadProperties,
	simplifyProperty,
	outputOptionsProperty,
];

export const description = updateDisplayOptions(
	{ show: { operation: [option.value] } },
	properties,
);

export const outputFields: OutputFields = taskFields;

/** Gets the status of tasks once. */
export async function execute({ service, tasks, hints }: VideoRun): Promise<INodeExecutionData[]> {
	const { context } = service;
	return await eachItem(service, {
		prepare: (itemIndex) => ({
			taskId: readTaskId(context, itemIndex),
			output: readOutputOptions(context, itemIndex),
		}),
		async work({ taskId, output }, itemIndex) {
			const task = await tasks.poll(taskId, output);
			if (output.binaryProperty !== undefined && !isFinished(task))
				hints.note('not finished yet, so there is nothing to download. Wait, or Get later.');
			return [await tasks.toItem(task, output, itemIndex)];
		},
	});
}
