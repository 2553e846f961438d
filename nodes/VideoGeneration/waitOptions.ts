import type { IExecuteFunctions, NodeHint } from 'n8n-workflow';
import type { WaitOptions } from '../../gateway';
import { collectionOf } from '../shared/form/sharedProperties';
import { hintBeforeRun } from '../shared/form/hints';
import {
	fieldOf,
	propertyOf,
	readChoice,
	readCollection,
	readNumber,
} from '../shared/form/parameterValues';

/** "An asynchronous task stays queryable for about 7 days" (Task retention): there is nothing to wait for after that. */
export const TASK_RETENTION_S = 7 * 24 * 3600;

/** Seconds. Shorter pauses are requests without a pause. */
const MIN_POLL_INTERVAL_S = 0.01;

export const waitOptionsProperty = {
	...collectionOf('Wait Options', 'waitOptions', [
		{
			displayName: 'Max Wait (Seconds)',
			name: 'maxWait',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: TASK_RETENTION_S },
			default: 600,
			description: `How long to wait for a video, at most 7 days (${TASK_RETENTION_S}). The task continues after that, and Wait or Get can fetch the video.`,
		},
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
		{
			displayName: 'Poll Interval (Seconds)',
			name: 'pollInterval',
			type: 'number',
			typeOptions: { minValue: MIN_POLL_INTERVAL_S, numberPrecision: 2 },
			default: 5,
			description: 'How long to wait between polls of a video',
		},
		{
			displayName: 'Polling',
			name: 'polling',
			type: 'options',
			options: [
				{
					name: 'Adaptive',
					value: 'adaptive',
					description: 'Poll when progress suggests the video is nearly done',
				},
				{ name: 'Fixed', value: 'fixed', description: 'Poll at each poll interval' },
			],
			default: 'fixed',
			description: 'When to poll a video',
		},
		{
			displayName: 'Wait In',
			name: 'waitIn',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Database (Survives Restarts)',
					value: 'database',
					description:
						'Occupies no worker. A finished video may be noticed some 70 seconds late, with adaptive polling later.',
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

const whileWaiting = (option: string, condition: string) => {
	const value = `$parameter["waitOptions"]?.${option}`;
	return `["generate", "wait"].includes($parameter["operation"]) && typeof ${value} === "number" && ${value} ${condition}`;
};

/** "Video generation typically takes one to three minutes" (Limits); clients poll every few seconds (Endpoints). */
export const waitHints: NodeHint[] = [
	hintBeforeRun(
		whileWaiting('pollInterval', '< 2'),
		`The poll interval is very short. A video typically takes one to three minutes, and every poll is a request: ${propertyOf(waitOptionsProperty.options, 'pollInterval').default as number} seconds are enough.`,
	),
	hintBeforeRun(
		whileWaiting('maxWait', '< 180'),
		'Max Wait is short. A video typically takes one to three minutes. Wait or Get can fetch videos that take longer.',
	),
];

/** What the editor says while the execution waits, where n8n itself would say "Waiting for input". */
export const waitingTooltip = `={{ "There is nothing to enter: the service is generating the video. " + ($parameter["waitOptions"]?.polling === "adaptive" ? "n8n asks again when it should be nearly finished" : "n8n asks again every " + Math.round(Math.max(70, Number($parameter["waitOptions"]?.pollInterval) || 0)) + " seconds") + ", also after a restart. Stopping the execution does not cancel the video." }}`;

/** Whether the whole node waits in n8n's database. The option allows no expression. */
export function waitsInDatabase(context: IExecuteFunctions): boolean {
	const { parameters } = context.getNode();
	return fieldOf(fieldOf(parameters, 'waitOptions'), 'waitIn') === 'database';
}

/** Reads and checks the wait options of one item. */
export function readWaitOptions(context: IExecuteFunctions, itemIndex: number): WaitOptions {
	const options = readCollection(context, itemIndex, 'waitOptions');
	const read = (name: 'pollInterval' | 'maxWait') =>
		1000 * readNumber(options, propertyOf(waitOptionsProperty.options, name), MIN_POLL_INTERVAL_S);
	readChoice(options, 'waitIn', ['memory', 'database']);
	return {
		pollIntervalMs: read('pollInterval'),
		maxWaitMs: read('maxWait'),
		polling: readChoice(options, 'polling', ['fixed', 'adaptive']),
		onTimeout: readChoice(options, 'onTimeout', ['error', 'output']),
	};
}
