import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isFinished, type VideoTask, type WallTime } from '../../../gateway';
import type { TaskState } from '../../shared/run/errorText';
import type { OutputOptions } from '../output/outputOptions';
import type { VideoRun } from '../videoRun';
import type { WaitOptions } from '../tasks/waitOptions';
import type { ItemPlace } from '../output/stateRoom';

/** What an operation knows of an item before anything is sent. */
export interface WaitPlan {
	wait: WaitOptions;
	output: OutputOptions;
}

/** The tasks of one item. */
export interface Started {
	tasks: StartedTask[];
	/** Why the tasks that failed in an earlier try have no replacements. */
	failure?: unknown;
}

export interface StartedTask {
	task: VideoTask;
	/** The service's object of the request that created the task, if known. */
	request?: IDataObject | undefined;
	/** Undefined for a task of an earlier execution. */
	submittedAt?: WallTime | undefined;
}

/** How an operation comes to the tasks that are waited for. */
export interface WaitingOperation<Plan extends WaitPlan> {
	prepare: (itemIndex: number) => Plan;
	start: (plan: Plan, itemIndex: number) => Started | Promise<Started>;
	/** A task is completed or failed. */
	taskEnded?: (itemIndex: number, task: TaskState) => void;
}

/**
 * Waits for one task and turns it into an item.
 * @param place where the item is kept while other tasks are waited for
 * @throws TaskError
 */
export async function finish(
	{ tasks, log }: VideoRun,
	{ taskEnded }: Pick<WaitingOperation<WaitPlan>, 'taskEnded'>,
	{ task, submittedAt, request }: StartedTask,
	{ wait, output }: WaitPlan,
	itemIndex: number,
	place?: ItemPlace,
): Promise<INodeExecutionData> {
	const latest = await tasks.wait(task, wait, output, submittedAt);
	if (isFinished(latest)) taskEnded?.(itemIndex, log.stateOf(task.id));
	return await tasks.toItem(latest, output, itemIndex, request, place);
}
