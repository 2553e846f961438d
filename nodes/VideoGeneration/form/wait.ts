import type { IExecuteFunctions } from 'n8n-workflow';
import type { WaitOptions } from '../../shared/book/schema';
import type { FormReader } from '../../shared/form/formReader';
import { fieldOf, numberProperty, readChoice, readNumber } from '../../shared/form/parameterValues';
import { collectionOf } from '../../shared/form/sharedProperties';

const maxWait = numberProperty({
	displayName: 'Max Wait (Seconds)',
	name: 'maxWait',
	default: 600,
	description:
		'How long to wait for a video, at most 7 days. The task continues after that: a second node with the operation Wait gets the video.',
});

export const pollInterval = numberProperty({
	displayName: 'Poll Interval (Seconds)',
	name: 'pollInterval',
	typeOptions: { numberPrecision: 2 },
	default: 5,
	description: 'How long to wait between polls of a video',
});

export const waitOptionsProperty = {
	...collectionOf('Wait Options', 'waitOptions', [
		maxWait,
		{
			displayName: 'On Timeout',
			name: 'onTimeout',
			type: 'options',
			options: [
				{
					name: 'Error',
					value: 'error',
					description: 'The item fails, and its error contains the task ID',
				},
				{
					name: 'Output the Unfinished Task',
					value: 'output',
					description: 'Return the task with its current status',
				},
			],
			default: 'error',
			description: 'What to do when the video is not finished within Max Wait',
		},
		pollInterval,
		{
			displayName: 'Wait In',
			name: 'waitIn',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Database (Survives Restarts)',
					value: 'database',
					description: 'Occupies no worker. A finished video may be noticed some 70 seconds late.',
				},
				{
					name: 'Memory (Ends With a Restart)',
					value: 'memory',
					description:
						'A finished video is noticed at the next poll. In queue mode, the wait occupies a worker.',
				},
			],
			default: 'memory',
			description: 'Where to keep the execution while it waits',
		},
	]),
	description: 'How to wait for the videos. Waiting does not count towards Max Concurrency.',
};

/** What the editor says while the execution waits, where n8n itself would say "Waiting for input". */
export const waitingTooltip = `={{ "There is nothing to enter: the service is generating the video. n8n asks again every " + Math.round(Math.max(70, Number($parameter["waitOptions"]?.pollInterval) || 0)) + " seconds, also after a restart. n8n cannot continue an execution that you stop, and stopping cancels no video: its task ID is in the console of this browser and in the log of n8n." }}`;

/** Whether the whole node waits in n8n's database. The option allows no expression. */
export function waitsInDatabase(context: IExecuteFunctions): boolean {
	const { parameters } = context.getNode();
	return fieldOf(fieldOf(parameters, 'waitOptions'), 'waitIn') === 'database';
}

/**
 * How to wait for the tasks of an item.
 * @throws GatewayError
 */
export function readWait(form: FormReader, itemIndex: number): WaitOptions {
	const options = form.collection('waitOptions', itemIndex);
	readChoice(options, 'waitIn', ['memory', 'database']);
	return {
		interval: 1000 * readNumber(options, pollInterval),
		maxWaitMs: 1000 * readNumber(options, maxWait),
		onTimeout: readChoice(options, 'onTimeout', ['error', 'output']),
	};
}
