import {
	type EngineRequest,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import type { DurableWait } from '../wait/durableWait';
import {
	downloadProperties,
	outputOptionsProperty,
	readOutputOptions,
	simplifyProperty,
} from '../output/outputOptions';
import { taskFields } from '../output/taskItem';
import type { VideoRun } from '../videoRun';
import { readTaskId, taskIdProperty } from '../tasks/taskId';
import { waitForVideos } from '../wait/waitForVideos';
import { readWaitOptions, waitOptionsProperty } from '../tasks/waitOptions';

export const option: INodePropertyOptions = {
	name: 'Wait',
	value: 'wait',
	action: 'Wait for a submitted video',
	description: 'Wait until a video submitted earlier is finished',
};

const properties: INodeProperties[] = [
	taskIdProperty,
	...downloadProperties,
	simplifyProperty,
	outputOptionsProperty,
	waitOptionsProperty,
];

export const description = updateDisplayOptions(
	{ show: { operation: [option.value] } },
	properties,
);

export const outputFields: OutputFields = taskFields;

/** Waits for tasks that were submitted before, wherever and whenever that was. */
export async function execute(
	run: VideoRun,
	durable: DurableWait,
): Promise<INodeExecutionData[] | EngineRequest> {
	const { service, log } = run;
	const { context } = service;
	return await waitForVideos(run, durable, {
		prepare: (itemIndex) => ({
			taskId: readTaskId(context, itemIndex),
			wait: readWaitOptions(context, itemIndex),
			output: readOutputOptions(context, itemIndex),
		}),
		start({ taskId }) {
			log.add(taskId);
			return { tasks: [{ task: { id: taskId, status: 'processing' } }] };
		},
	});
}
