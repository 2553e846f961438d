import type { IDataObject } from 'n8n-workflow';
import type { PaidTask } from '../shared/book/schema';
import { type OutputFields, present } from '../shared/form/outputItem';
import type { TaskState } from '../shared/run/errorText';

const stateFields = {
	status: 'string',
	progress: 'integer',
	url: 'string',
	revised_prompt: 'string',
	duration: 'number',
	size: 'string',
	fps: 'integer',
	format: 'string',
	created_at: 'integer',
	completed_at: 'integer',
} satisfies OutputFields;

/** The fields of {@link simplifiedTask}. */
export const taskFields = { ...stateFields, task_id: 'string' } satisfies OutputFields;

/** The same where the request that created the task is known. */
export const generatedFields = {
	...stateFields,
	model: 'string',
	task_id: 'string',
	request_id: 'string',
} satisfies OutputFields;

/** The same for a task that was just submitted. */
export const submissionFields: OutputFields = {
	status: 'string',
	url: 'null',
	revised_prompt: 'string',
	created_at: 'integer',
	model: 'string',
	task_id: 'string',
	request_id: 'string',
};

/** Every field that an item may have. An input field of the same name is never one of a video. */
export const videoItemFields = (simplify: boolean): string[] =>
	simplify
		? Object.keys(generatedFields)
		: [
				...['id', 'object', 'status', 'progress', 'url', 'b64_json', 'revised_prompt', 'metadata'],
				...['created_at', 'completed_at', 'task_id', 'task_error', 'request'],
			];

/**
 * The fields of a task for the next node, without those that the service did not send. Long ids come last: in n8n's
 * table they would push the rest out of sight.
 */
export function simplifiedTask(task: PaidTask): IDataObject {
	const { entry, submitted, request = {} } = task;
	const { status, progress, url, metadata, created_at, completed_at } = entry;
	const { duration, size, fps, format } = metadata ?? {};
	const fields: Record<keyof typeof generatedFields, unknown> = {
		status,
		progress,
		url: url ?? null,
		revised_prompt: entry.revised_prompt ?? submitted?.revised_prompt,
		duration,
		size,
		fps,
		format,
		created_at: created_at ?? request.created,
		completed_at,
		model: request.model,
		task_id: entry.id,
		request_id: request.id,
	};
	return present(fields);
}

/** The task as the service defines it, plus `task_id`. An `error` belongs to error items alone. */
export function fullTask({ entry, submitted }: PaidTask): IDataObject {
	const whole = { ...submitted, ...present(entry), id: entry.id, status: entry.status };
	const { error, ...fields } = whole as IDataObject;
	for (const own of ['sent_as', 'used']) delete fields[own];
	const sent = entry.sent_as?.status ? { status: entry.sent_as.status } : {};
	return { ...fields, ...sent, task_id: entry.id, ...(error ? { task_error: error } : {}) };
}

/** What lists and errors call the state of a task. */
export function statusOf({ entry, state }: PaidTask): string {
	return state === 'unknown' ? 'not found' : entry.status;
}

/** A URL that leads to the video from anywhere. Inline data is none. */
export function urlOf({ url }: Pick<PaidTask['entry'], 'url'>): string | null {
	return url && /^https?:\/\/\S+$/i.test(url) ? url : null;
}

/** What an error item tells of its task. */
export function stateOf(task: PaidTask): TaskState {
	return { task_id: task.entry.id, status: statusOf(task), url: urlOf(task.entry) };
}

/** How to get a video without paying again. Another operation of the same node would lose its fields. */
export function anotherNode(operation: 'Wait' | 'Get', ids = 'this task ID'): string {
	const download = operation === 'Get' ? ', Download on' : '';
	return `add a second Video Generation node with the operation ${operation}${download} and ${ids}`;
}
