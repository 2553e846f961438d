import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';
import type { BookEntry } from '../shared/book/schema';
import type { FormReader } from '../shared/form/formReader';
import { simplifyProperty } from '../shared/form/sharedProperties';
import type { OutputFields } from '../shared/output/item';
import {
	type BillableVideo,
	optionsProperty,
	readBillableVideo,
	requestProperties,
} from './form/request';
import { downloadProperties, outputOptionsProperty, readOutput } from './form/result';
import { readTaskIds, taskIdProperty } from './form/taskId';
import { readWait, waitOptionsProperty } from './form/wait';

/** The fields of a task, simplified. */
const taskFields = {
	status: 'string',
	url: 'string',
	task_id: 'string',
	progress: 'integer',
	duration: 'number',
	size: 'string',
	fps: 'integer',
	format: 'string',
	created_at: 'integer',
	completed_at: 'integer',
	revised_prompt: 'string',
} satisfies OutputFields;

const { revised_prompt, ...shortFields } = taskFields;

/** With the fields of the submission, where it is known. */
export const generatedFields = {
	...shortFields,
	model: 'string',
	request_id: 'string',
	revised_prompt,
} satisfies OutputFields;

export interface Operation {
	name: string;
	action: string;
	description: string;
	/** Whether it submits videos. Otherwise it finds tasks that were submitted earlier, in the form. */
	submits: boolean;
	/** Whether it waits until its videos are finished. */
	waits: boolean;
	/** Of its items, with Simplify. */
	outputFields: OutputFields;
}

export const operations: Record<string, Operation> = {
	generate: {
		name: 'Generate',
		action: 'Generate a video',
		description: 'Submit a video and wait until it is finished, typically one to three minutes',
		submits: true,
		waits: true,
		outputFields: generatedFields,
	},
	get: {
		name: 'Get',
		action: 'Get a video',
		description: 'Get the status and the URL of a video submitted earlier',
		submits: false,
		waits: false,
		outputFields: taskFields,
	},
	submit: {
		name: 'Submit',
		action: 'Submit a video',
		description: 'Submit a video and continue without waiting',
		submits: true,
		waits: false,
		outputFields: {
			status: 'string',
			url: 'null',
			task_id: 'string',
			created_at: 'integer',
			model: 'string',
			request_id: 'string',
			revised_prompt,
		},
	},
	wait: {
		name: 'Wait',
		action: 'Wait for a video',
		description: 'Wait until a video submitted earlier is finished',
		submits: false,
		waits: true,
		outputFields: taskFields,
	},
};

const names = Object.keys(operations);
const submitting = names.filter((name) => operations[name]?.submits);
const finding = names.filter((name) => !submitting.includes(name));
const waiting = names.filter((name) => operations[name]?.waits);

/**
 * The fields of all operations. Those that several have are one property: of several with one name, n8n's builder and its MCP
 * server read the first. Only Options differs.
 */
export const operationProperties: INodeProperties[] = [
	...shownFor(submitting, requestProperties),
	...shownFor(finding, [taskIdProperty]),
	// A video that was just submitted has no file.
	...shownFor([...new Set([...waiting, ...finding])], downloadProperties),
	...shownFor(names, [simplifyProperty]),
	...shownFor(submitting, [optionsProperty]),
	...shownFor(finding, [outputOptionsProperty]),
	...shownFor(waiting, [waitOptionsProperty]),
];

function shownFor(operation: string[], properties: INodeProperties[]) {
	return updateDisplayOptions({ show: { operation } }, properties);
}

/** What an operation asks for an item: videos to submit, or tasks; how to wait for them, and what their items look like. */
export interface Plan extends Pick<BookEntry, 'waitOptions' | 'outputOptions'> {
	video?: BillableVideo;
	/** Of tasks that someone submitted earlier. */
	taskIds?: string[];
}

/** @throws GatewayError */
export function planOf({ submits, waits }: Operation, form: FormReader, item: number): Plan {
	const options = form.collection('options', item);
	return {
		...(submits
			? { video: readBillableVideo(form, item, options) }
			: { taskIds: readTaskIds(form, item) }),
		outputOptions: readOutput(form, item, options),
		...(waits && { waitOptions: readWait(form, item) }),
	};
}
