import type { IDataObject } from 'n8n-workflow';
import type { PaidTask } from '../../gateway';
import type { OutputFields } from '../shared/form/outputFields';
import { without } from '../shared/form/parameterValues';

const stateFields: OutputFields = {
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
};

/** The fields of {@link simplifiedTask}. */
export const taskFields: OutputFields = { ...stateFields, task_id: 'string' };

/** The same where the request that created the task is known. */
export const generatedFields: OutputFields = {
	...stateFields,
	model: 'string',
	task_id: 'string',
	request_id: 'string',
};

/** The fields of {@link simplifiedSubmission}. */
export const submissionFields: OutputFields = {
	status: 'string',
	url: 'null',
	revised_prompt: 'string',
	created_at: 'integer',
	model: 'string',
	task_id: 'string',
	request_id: 'string',
};

/** Every field that an item may have, with Simplify or without. An input field of the same name is never one of a video. */
export const videoItemFields: ReadonlySet<string> = new Set([
	...Object.keys(generatedFields),
	...Object.keys(submissionFields),
	...['id', 'object', 'metadata', 'b64_json', 'request', 'task_error'],
]);

/** Everything that the service said of a task. */
function wholeTask({ entry, submitted }: PaidTask) {
	return { ...submitted, ...present(entry), id: entry.id, status: entry.status };
}

/**
 * The fields of a task for the next node, without those that the service did not send. Long ids come last: in n8n's
 * table they would push the rest out of sight.
 */
export function simplifiedTask(task: PaidTask): IDataObject {
	const { entry, submitted, request = {} } = task;
	const { status, progress, url, metadata, created_at, completed_at } = entry;
	const { duration, size, fps, format } = metadata ?? {};
	return present({
		status,
		progress,
		url: url ?? null,
		revised_prompt: entry.revised_prompt ?? submitted?.revised_prompt,
		duration,
		size,
		fps,
		format,
		created_at,
		completed_at,
		model: request.model,
		task_id: entry.id,
		request_id: request.id,
	});
}

/** The same fields for a task that was just submitted. */
export function simplifiedSubmission({ entry, request = {} }: PaidTask): IDataObject {
	return present({
		status: entry.status,
		url: entry.url ?? null,
		revised_prompt: entry.revised_prompt,
		created_at: request.created,
		model: request.model,
		task_id: entry.id,
		request_id: request.id,
	});
}

/** The task as the service defines it, plus `task_id`. An `error` belongs to error items alone. */
export function fullTask(task: PaidTask): IDataObject {
	const { error, ...fields } = wholeTask(task) as IDataObject;
	return { ...fields, task_id: task.entry.id, ...(error ? { task_error: error } : {}) };
}

/** The task entry with its request, plus `task_id`. */
export function fullSubmission(task: PaidTask): IDataObject {
	const fields = without(wholeTask(task), 'error') as IDataObject;
	return { ...fields, task_id: task.entry.id, request: task.request as IDataObject };
}

/** The fields that the service sent. */
export function present(fields: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
