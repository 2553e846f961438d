import type { IDataObject } from 'n8n-workflow';
import type { VideoSubmission, VideoTask } from '../../../gateway';
import type { OutputFields } from '../../shared/form/outputFields';
import { without } from '../../shared/form/parameterValues';

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

/**
 * The fields of a task for the next node, without those that the service did not send. Long ids come last: in n8n's
 * table they would push the rest out of sight.
 * @param request the service's object of the request that created the task, if known
 */
export function simplifiedTask(task: VideoTask, request: IDataObject = {}): IDataObject {
	const { status, progress, url, revised_prompt, metadata, created_at, completed_at } = task;
	const { duration, size, fps, format } = metadata ?? {};
	return present({
		status,
		progress,
		url: url ?? null,
		revised_prompt,
		duration,
		size,
		fps,
		format,
		created_at,
		completed_at,
		model: request.model,
		task_id: task.id,
		request_id: request.id,
	});
}

/** The same fields for a task that was just submitted. */
export function simplifiedSubmission(
	{ id, status, url, revised_prompt }: VideoSubmission['data'][number],
	request: IDataObject,
): IDataObject {
	return present({
		status,
		url: url ?? null,
		revised_prompt,
		created_at: request.created,
		model: request.model,
		task_id: id,
		request_id: request.id,
	});
}

/** The task as the service defines it, plus `task_id`. An `error` belongs to error items alone. */
export function fullTask(task: VideoTask): IDataObject {
	const { error, ...fields } = task;
	return {
		...present(fields),
		task_id: task.id,
		...(error ? { task_error: error as IDataObject } : {}),
	};
}

/** The task entry with its request, plus `task_id`. */
export function fullSubmission(
	task: VideoSubmission['data'][number],
	request: IDataObject,
): IDataObject {
	return { ...present(without(task, 'error')), task_id: task.id, request };
}

/** The fields that the service sent. */
export function present(fields: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
