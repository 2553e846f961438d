import {
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import { isNotFound } from '../../../gateway';
import { unknownTask } from '../../shared/book/book';
import { eachItem } from '../../shared/run/eachItem';
import { TaskError } from '../../shared/run/errorText';
import {
	downloadProperties,
	outputOptionsProperty,
	readOutputOptions,
	simplifyProperty,
} from '../outputOptions';
import { taskFields } from '../item';
import type { VideoRun } from '../videoRun';
import { knownTask, readTaskId, taskIdProperty } from '../taskId';

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
export async function execute(run: VideoRun): Promise<INodeExecutionData[]> {
	const { output, service, tasks } = run;
	const { context } = service;
	return await eachItem(service, {
		prepare: (itemIndex) => {
			const settings = { output: readOutputOptions(context, itemIndex) };
			const entry = knownTask(run, readTaskId(context, itemIndex), itemIndex);
			return Object.assign(entry, { settings });
		},
		async work(entry) {
			const [task = unknownTask('')] = entry.tasks;
			const getting = async () => {
				await tasks.poll(task, entry.settings.output);
				await tasks.finish(task, entry.settings.output, 1);
			};
			await getting().catch((error: unknown) => {
				task.isUnknown = isNotFound(error);
				throw new TaskError(task, error);
			});
			task.isSettled = true;
			return [output.itemOf(entry, task)];
		},
	});
}
