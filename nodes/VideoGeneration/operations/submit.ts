import {
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import { eachItem } from '../../shared/run/eachItem';
import { readOutputOptions, simplifyProperty } from '../output/outputOptions';
import { optionsProperty, readVideoOrder, requestProperties } from '../submission/request';
import type { VideoRun } from '../videoRun';
import { fullSubmission, simplifiedSubmission, submissionFields } from '../output/taskItem';

export const option: INodePropertyOptions = {
	name: 'Submit',
	value: 'submit',
	action: 'Submit a video without waiting',
	description: 'Submit a video and continue without waiting',
};

const properties: INodeProperties[] = [...requestProperties, simplifyProperty, optionsProperty];

export const description = updateDisplayOptions(
	{ show: { operation: [option.value] } },
	properties,
);

export const outputFields: OutputFields = submissionFields;

/** Submits videos and returns their tasks at once, for Get or Wait later. */
export async function execute(run: VideoRun): Promise<INodeExecutionData[]> {
	const { service, submissions } = run;
	const { context } = service;
	return await eachItem(service, {
		prepare: (itemIndex) => ({
			order: submissions.plan(readVideoOrder(context, itemIndex), itemIndex),
			output: readOutputOptions(context, itemIndex),
		}),
		async work({ order, output }, itemIndex) {
			const { tasks, failure } = await submissions.submit(order, itemIndex);
			if (failure !== undefined) throw failure;
			const toJson = output.simplify ? simplifiedSubmission : fullSubmission;
			return tasks.map(({ task, request }) => ({
				json: run.tasks.jsonOf(itemIndex, toJson(task, request), output),
				pairedItem: { item: itemIndex },
			}));
		},
	});
}
