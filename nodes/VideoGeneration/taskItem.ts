import type { IDataObject } from 'n8n-workflow';
import type { VideoSubmission, VideoTask } from '../../gateway';
import { without } from '../shared/parameterValues';

type SubmittedTask = VideoSubmission['data'][number];

/** The fields of a task that the next node reads; what the service did not say is absent. */
export function simplifiedTask(task: VideoTask): IDataObject {
	const { status, progress, url, revised_prompt, metadata, created_at, completed_at } = task;
	const { duration, size, fps, format } = metadata ?? {};
	return present({
		task_id: task.id,
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
	});
}

/** The same fields for a task that was just submitted, with the request it belongs to. */
export function simplifiedSubmission(
	submission: VideoSubmission,
	task: SubmittedTask,
): IDataObject {
	return present({
		task_id: task.id,
		status: task.status,
		url: task.url ?? null,
		revised_prompt: task.revised_prompt,
		created_at: submission.created,
		request_id: submission.id,
		model: submission.model,
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
export function fullSubmission(submission: VideoSubmission, task: SubmittedTask): IDataObject {
	return {
		...present(without(task, 'error')),
		task_id: task.id,
		request: present(without(submission, 'data')),
	};
}

function present(fields: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
