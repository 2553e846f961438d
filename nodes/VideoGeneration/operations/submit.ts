import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { submissionFields } from '../item';
import { readOutputOptions, simplifyProperty } from '../outputOptions';
import { planSubmission } from '../submit';
import { optionsProperty, requestProperties } from '../videoRequest';
import type { Planned, VideoRun } from '../videoTasks';

export const option: INodePropertyOptions = {
	name: 'Submit',
	value: 'submit',
	action: 'Submit a video without waiting',
	description: 'Submit a video and continue without waiting',
};

export const properties: INodeProperties[] = [
	...requestProperties,
	simplifyProperty,
	optionsProperty,
];

export const outputFields = submissionFields;

/** Submits videos and returns their tasks at once, for Get or Wait later. */
export function plan(run: VideoRun, itemIndex: number): Planned {
	const { context } = run.service;
	return planSubmission(run, itemIndex, () => ({ output: readOutputOptions(context, itemIndex) }));
}
