import {
	type EngineRequest,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import type { DurableWait } from '../../shared/durableWait/durableWait';
import { downloadProperties, readOutputOptions, simplifyProperty } from '../outputOptions';
import { optionsProperty, readBillableVideo, requestProperties } from '../videoRequest';
import { generatedFields } from '../item';
import { planSubmission, submitRest } from '../submit';
import type { VideoRun } from '../videoRun';
import { waitForVideos } from '../wait';
import { readWaitOptions, waitOptionsProperty } from '../waitOptions';

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
	const { context } = run.service;
	return await waitForVideos(run, durable, {
		prepare: (itemIndex) => ({
			...planSubmission(run, readBillableVideo(context, itemIndex), itemIndex),
			wait: readWaitOptions(context, itemIndex),
			output: readOutputOptions(context, itemIndex),
		}),
		start: async (planned) => await submitRest(run, planned),
	});
}
