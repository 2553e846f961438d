import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { InvalidInputError, type WaitSettings } from '../../gateway';
import { readNumber } from '../shared/requestOptions';

/** "An asynchronous task stays queryable for about 7 days" (Task retention): waiting longer is in vain. */
const TASK_RETENTION_S = 7 * 24 * 3600;

export const waitOptionsProperty: INodeProperties = {
	displayName: 'Wait Options',
	name: 'waitOptions',
	type: 'collection',
	placeholder: 'Add Wait Option',
	default: {},
	displayOptions: { show: { operation: ['generate', 'wait'] } },
	options: [
		{
			displayName: 'Max Wait',
			name: 'maxWait',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 600,
			description:
				'Seconds after which a video is no longer waited for. It goes on at the service, and nothing is lost.',
		},
		{
			displayName: 'On Timeout',
			name: 'onTimeout',
			type: 'options',
			options: [
				{
					name: 'Error',
					value: 'error',
					description: 'The item fails, with the task ID in its error',
				},
				{
					name: 'Output the Unfinished Task',
					value: 'output',
					description: 'Hand the task on with its status so far',
				},
			],
			default: 'error',
			description: 'What to do when the maximum wait is over',
		},
		{
			displayName: 'Poll Interval',
			name: 'pollInterval',
			type: 'number',
			typeOptions: { minValue: 0.1, numberPrecision: 1 },
			default: 5,
			description: 'Seconds between two looks at a video',
		},
		{
			displayName: 'Polling',
			name: 'polling',
			type: 'options',
			options: [
				{
					name: 'Adaptive',
					value: 'adaptive',
					description: 'Look when the progress lets one expect the end: fewer requests',
				},
				{ name: 'Fixed', value: 'fixed', description: 'Look each poll interval' },
			],
			default: 'fixed',
			description: 'When to look at a video',
		},
	],
};

export interface WaitOptions extends Omit<WaitSettings, 'firstLookMs'> {
	onTimeout: 'error' | 'output';
}

/** Reads and checks the wait options of one item. */
export function readWaitOptions(context: IExecuteFunctions, itemIndex: number): WaitOptions {
	const options = context.getNodeParameter('waitOptions', itemIndex, {}) as Record<string, unknown>;
	const read = (name: string, unset: number) =>
		1000 * readNumber(options, name, { least: 0.01, most: TASK_RETENTION_S, unset });
	return {
		pollIntervalMs: read('pollInterval', 5),
		maxWaitMs: read('maxWait', 600),
		polling: readChoice(options, 'polling', ['fixed', 'adaptive']),
		onTimeout: readChoice(options, 'onTimeout', ['error', 'output']),
	};
}

/** Reads one of some values; the first is the one of an option that was not set. */
function readChoice<Value extends string>(
	options: Record<string, unknown>,
	name: string,
	values: readonly [Value, ...Value[]],
): Value {
	const given = options[name];
	if (given === undefined || given === '') return values[0];
	const value = values.find((candidate) => candidate === given);
	if (value !== undefined) return value;
	throw new InvalidInputError(name, `${name} must be one of: ${values.join(', ')}`);
}
