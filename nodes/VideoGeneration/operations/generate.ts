import {
	type EngineRequest,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import type { DurableWait } from '../wait/durableWait';
import { downloadProperties, readOutputOptions, simplifyProperty } from '../output/outputOptions';
import { optionsProperty, readVideoOrder, requestProperties } from '../submission/request';
import { generatedFields } from '../output/taskItem';
import type { VideoRun } from '../videoRun';
import { waitForVideos } from '../wait/waitForVideos';
import { readWaitOptions, waitOptionsProperty } from '../tasks/waitOptions';

export const option: INodePropertyOptions = {
	name: 'Generate',
	value: 'generate',
	action: 'Generate a video',
	description: 'Submit a video and wait until it is finished, typically one to three minutes',
};

const properties: INodeProperties[] = [
	...requestProperties,
	...downloadProperties,
	simplifyProperty,
	optionsProperty,
	waitOptionsProperty,
];

export const description = updateDisplayOptions(
	{ show: { operation: [option.value] } },
	properties,
);

export const outputFields: OutputFields = generatedFields;

/** Submits videos and waits for them. */
export async function execute(
	run: VideoRun,
	durable: DurableWait,
): Promise<INodeExecutionData[] | EngineRequest> {
	const { service, submissions } = run;
	const { context } = service;
	return await waitForVideos(run, durable, {
		prepare: (itemIndex) => ({
			order: submissions.plan(readVideoOrder(context, itemIndex), itemIndex),
			wait: readWaitOptions(context, itemIndex),
			output: readOutputOptions(context, itemIndex),
		}),
		start: async ({ order }, itemIndex) => await submissions.submit(order, itemIndex),
		taskEnded: (itemIndex, task) => submissions.taskEnded(itemIndex, task),
	});
}
