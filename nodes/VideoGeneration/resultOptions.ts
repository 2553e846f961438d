import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { refusedValue, VIDEO_TYPES, type VideoTask } from '../../gateway';
import type { OutputOptions, WaitOptions } from '../shared/book/schema';
import type { FormReader } from '../shared/form/formReader';
import { includeInputFieldsOption } from '../shared/form/outputItem';
import {
	asText,
	fieldOf,
	numberProperty,
	readBoolean,
	readChoice,
	readNumber,
} from '../shared/form/parameterValues';
import { collectionOf } from '../shared/form/sharedProperties';

export const downloadProperties: INodeProperties[] = [
	{
		displayName: 'Download',
		name: 'download',
		type: 'boolean',
		default: false,
		description: 'Whether to download the finished video to a binary field of the output',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryProperty',
		type: 'string',
		default: 'data',
		required: true,
		hint: 'The name of the output binary field to put the video in',
		displayOptions: { show: { download: [true] } },
	},
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. paper-boat',
		description:
			'The name of the file, without extension. Characters that file systems do not allow are replaced. Leave empty to use the task ID.',
		displayOptions: { show: { download: [true] } },
	},
];

/** The options of an operation that submits nothing. */
export const outputOptionsProperty = collectionOf('Options', 'options', [includeInputFieldsOption]);

export const waitOptionsProperty = {
	...collectionOf('Wait Options', 'waitOptions', [
		numberProperty({
			displayName: 'Max Wait (Seconds)',
			name: 'maxWait',
			default: 600,
			description:
				'How long to wait for a video, at most 7 days. The task continues after that: a second node with the operation Wait gets the video.',
		}),
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
		numberProperty({
			displayName: 'Poll Interval (Seconds)',
			name: 'pollInterval',
			typeOptions: { numberPrecision: 2 },
			default: 5,
			description: 'How long to wait between polls of a video',
		}),
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

/** What the editor says while the execution waits, where n8n itself would say "Waiting for input". */
export const waitingTooltip = `={{ "There is nothing to enter: the service is generating the video. " + ($parameter["waitOptions"]?.polling === "adaptive" ? "n8n asks again when it should be nearly finished" : "n8n asks again every " + Math.round(Math.max(70, Number($parameter["waitOptions"]?.pollInterval) || 0)) + " seconds") + ", also after a restart. Stopping the execution does not cancel the video." }}`;

/** Whether the whole node waits in n8n's database. The option allows no expression. */
export function waitsInDatabase(context: IExecuteFunctions): boolean {
	const { parameters } = context.getNode();
	return fieldOf(fieldOf(parameters, 'waitOptions'), 'waitIn') === 'database';
}

/**
 * What the items of the tasks of an item look like.
 * @throws InvalidInputError
 */
export function readOutput(
	form: FormReader,
	itemIndex: number,
	options: Record<string, unknown>,
): OutputOptions {
	const items = {
		simplify: form.boolean('simplify', itemIndex, true),
		includeInputFields: readBoolean(options, 'includeInputFields', false),
	};
	if (!form.boolean('download', itemIndex, false)) return items;
	const binaryProperty = form.read('binaryProperty', itemIndex) ?? 'data';
	if (typeof binaryProperty !== 'string' || binaryProperty.trim() === '')
		throw refusedValue('binaryProperty', 'must be the name of a field', binaryProperty);
	const fileName = asText(form.read('fileName', itemIndex)) ?? '';
	if (typeof fileName !== 'string') throw refusedValue('fileName', 'must be a text', fileName);
	return { ...items, binaryProperty: binaryProperty.trim(), fileName };
}

/**
 * How to wait for the tasks of an item.
 * @throws InvalidInputError
 */
export function readWait(form: FormReader, itemIndex: number): WaitOptions {
	const options = form.collection('waitOptions', itemIndex);
	const read = (name: 'pollInterval' | 'maxWait') =>
		1000 * readNumber(options, waitOptionsProperty.options, name);
	readChoice(options, 'waitIn', ['memory', 'database']);
	return {
		interval: read('pollInterval'),
		maxWaitMs: read('maxWait'),
		polling: readChoice(options, 'polling', ['fixed', 'adaptive']),
		onTimeout: readChoice(options, 'onTimeout', ['error', 'output']),
	};
}

/** Where neither the file nor the service names a container. */
const DEFAULT_CONTAINER = 'mp4';

/** Bytes of a name without its extension. File systems allow 255 in all, and fewer where they encrypt names. */
const MAX_STEM_BYTES = 190;

/** Characters that one of the usual file systems refuses in a name, and those that show a name backwards. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Bidi_Control}<>:"/\\|?*]+/gu;

/**
 * Name and type of a task's file.
 * @param wanted the user's name; default: the task's
 * @param number which of several videos of the same item it is, from 1
 * @param extension of a video, by the first bytes of the file
 */
export function videoFile(task: VideoTask, wanted = '', number = 1, extension?: string) {
	const named = (task.metadata?.format ?? '').toLowerCase().replace(/^(?:video\/|\.)/, '');
	const container = extension ?? (Object.hasOwn(VIDEO_TYPES, named) ? named : DEFAULT_CONTAINER);
	const ofUser = safeStem(withoutExtension(wanted));
	// The IDs of an item's tasks differ.
	const stem = ofUser === '' ? safeStem(task.id) || 'video' : ofUser;
	const suffix = ofUser !== '' && number > 1 ? `-${number}` : '';
	return { name: `${stem}${suffix}.${container}`, type: VIDEO_TYPES[container] ?? '' };
}

function withoutExtension(wanted: string): string {
	const name = wanted.trim();
	const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
	return Object.hasOwn(VIDEO_TYPES, extension) ? name.slice(0, -extension.length - 1) : name;
}

function safeStem(wanted: string): string {
	const safe = withoutDots(wanted.replace(/\s+/g, ' ').replace(UNSAFE, '_'));
	const bytes = Buffer.from(safe).subarray(0, MAX_STEM_BYTES);
	// A character that is cut in two becomes U+FFFD.
	return withoutDots(bytes.toString().replace(/\ufffd$/, ''));
}

/** Without dots and spaces at either end: file systems hide or refuse such names. */
function withoutDots(name: string): string {
	return name.replace(/^[. ]+|(?<![. ])[. ]+$/g, '');
}
