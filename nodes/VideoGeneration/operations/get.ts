import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { taskFields } from '../item';
import {
	downloadProperties,
	outputOptionsProperty,
	readOutputOptions,
	simplifyProperty,
} from '../outputOptions';
import type { Planned, VideoRun } from '../videoTasks';
import { entryOfForm, taskIdProperty } from './wait';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: "Get a video's status",
	description: 'Get the status of a video submitted earlier, and download it if it is finished',
};

export const properties: INodeProperties[] = [
	taskIdProperty,
	...downloadProperties,
	simplifyProperty,
	outputOptionsProperty,
];

export const outputFields = taskFields;

/** Gets the status of tasks once. */
export function plan({ book, service: { context }, tasks }: VideoRun, itemIndex: number): Planned {
	const output = readOutputOptions(context, itemIndex);
	const entry = entryOfForm(context, book, itemIndex);
	entry.settings = { output };
	return { entry, start: async () => await tasks.get(entry.tasks, output) };
}
