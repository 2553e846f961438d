import {
	type EngineRequest,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import type { DurableWait } from '../../shared/durableWait/durableWait';
import {
	downloadProperties,
	outputOptionsProperty,
	readOutputOptions,
	simplifyProperty,
} from '../outputOptions';
import { taskFields } from '../item';
import type { VideoRun } from '../videoRun';
import { knownTask, readTaskId, taskIdProperty } from '../taskId';
import { waitForVideos } from '../wait';
import { readWaitOptions, waitOptionsProperty } from '../waitOptions';

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
	const { context } = run.service;
	return await waitForVideos(run, durable, {
		prepare: (itemIndex) => ({
			entry: knownTask(run, readTaskId(context, itemIndex), itemIndex),
			wait: readWaitOptions(context, itemIndex),
			output: readOutputOptions(context, itemIndex),
		}),
		start: () => {},
	});
}
