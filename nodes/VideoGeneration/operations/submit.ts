import {
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import type { OutputFields } from '../../shared/form/outputFields';
import { liveTasks } from '../../shared/book/book';
import { eachItem } from '../../shared/run/eachItem';
import { afterEarlierTry, reportError } from '../../shared/run/errorText';
import { readOutputOptions, simplifyProperty } from '../outputOptions';
import { optionsProperty, readBillableVideo, requestProperties } from '../videoRequest';
import { planSubmission, submitRest } from '../submit';
import type { VideoRun } from '../videoRun';
import { fullSubmission, simplifiedSubmission, submissionFields } from '../item';

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
	const { service, output } = run;
	const { context } = service;
	return await eachItem(service, {
		prepare: (itemIndex) => {
			const planned = planSubmission(run, readBillableVideo(context, itemIndex), itemIndex);
			planned.entry.settings = { output: readOutputOptions(context, itemIndex) };
			return planned;
		},
		async work(planned) {
			const { entry } = planned;
			await submitRest(run, planned).catch((error: unknown) => {
				const explained = afterEarlierTry(error, entry.earlier);
				entry.error = reportError(explained);
				throw explained;
			});
			const toJson = entry.settings?.output.simplify ? simplifiedSubmission : fullSubmission;
			return liveTasks(entry).map((task) => output.itemOf(entry, task, toJson));
		},
	});
}
