import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { generatedFields } from '../item';
import { downloadProperties, readOutputOptions, simplifyProperty } from '../outputOptions';
import { planSubmission } from '../submit';
import { optionsProperty, requestProperties } from '../videoRequest';
import type { Planned, VideoRun } from '../videoTasks';
import { readWaitOptions, waitOptionsProperty } from '../waitOptions';

export const option: INodePropertyOptions = {
	name: 'Generate',
	value: 'generate',
	action: 'Generate a video',
	description: 'Submit a video and wait until it is finished, typically one to three minutes',
};

export const properties: INodeProperties[] = [
	...requestProperties,
	...downloadProperties,
	simplifyProperty,
	optionsProperty,
	waitOptionsProperty,
];

export const outputFields = generatedFields;

/** Submits videos and waits for them. */
export function plan(run: VideoRun, itemIndex: number): Planned {
	const { context } = run.service;
	return planSubmission(run, itemIndex, () => ({
		wait: readWaitOptions(context, itemIndex),
		output: readOutputOptions(context, itemIndex),
	}));
}
