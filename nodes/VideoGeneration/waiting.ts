import type {
	EngineRequest,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { TaskFailedError, type VideoTask } from '../../gateway';
import type { DurableWait } from '../shared/durableWait';
import { eachItem } from '../shared/eachItem';
import { TaskError } from '../shared/errorText';
import { hintAfterRun } from '../shared/hints';
import type { OutputOptions } from './output';
import type { OpenRun, Run } from './videoRun';
import { waitInDatabase } from './waitInDatabase';
import { readWaitIn, type WaitOptions } from './waitOptions';

/** What an operation knows of an item before anything is sent. */
export interface WaitPlan {
	wait: WaitOptions;
	output: OutputOptions;
}

/** The tasks of one item. */
export interface Started {
	tasks: StartedTask[];
	/** Why there are no tasks in place of those that failed in an earlier try. */
	failure?: unknown;
}

export interface StartedTask {
	task: VideoTask;
	/** The service's object of the request that created the task, where it is known. */
	request?: IDataObject | undefined;
	/** Milliseconds since the Unix epoch; undefined for a task of an earlier execution. */
	submittedAt?: number | undefined;
}

/** How an operation comes to the tasks that are waited for. */
export interface WaitingOperation<Plan extends WaitPlan> {
	prepare: (itemIndex: number) => Plan;
	start: (plan: Plan, itemIndex: number) => Promise<Started>;
	/** A failed task is not waited for again. */
	taskFailed?: (itemIndex: number, taskId: string) => void;
}

/** Waits for the videos of all items, and makes items of them. */
export async function waitForVideos<Plan extends WaitPlan>(
	context: IExecuteFunctions,
	open: OpenRun,
	durable: DurableWait,
	begin: (run: Run) => WaitingOperation<Plan>,
): Promise<INodeExecutionData[] | EngineRequest> {
	const isResumed = durable.resumed !== undefined;
	if (!isResumed && readWaitIn(context) === 'memory') {
		return await waitInMemory(context, open, begin);
	}
	const refusal = durable.refusal();
	if (refusal !== undefined) hintAfterRun(context, `Waited in memory: ${refusal}`);
	return refusal === undefined || isResumed
		? await waitInDatabase(context, open, durable, begin)
		: await waitInMemory(context, open, begin);
}

/** While a video is waited for, the next item is started. */
async function waitInMemory<Plan extends WaitPlan>(
	context: IExecuteFunctions,
	open: OpenRun,
	begin: (run: Run) => WaitingOperation<Plan>,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const run = open(service);
		const operation = begin(run);
		return {
			prepare: (itemIndex): Plan => operation.prepare(itemIndex),
			async run(plan, itemIndex) {
				const { tasks, failure } = await operation.start(plan, itemIndex);
				const items = tasks.map(async (task) => {
					return await finish(run, operation, task, plan, itemIndex);
				});
				// What is paid for is put out, also when there is nothing in place of what failed.
				if (failure !== undefined) items.push(Promise.reject(failure));
				return { pending: run.tasks.together(items, itemIndex) };
			},
		};
	});
}

/**
 * Waits for one task and makes an item of it.
 * @throws TaskError
 */
export async function finish(
	{ tasks }: Run,
	{ taskFailed }: Pick<WaitingOperation<WaitPlan>, 'taskFailed'>,
	{ task, submittedAt, request }: StartedTask,
	{ wait, output }: WaitPlan,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const item = async () => {
		const finished = await tasks.wait(task, wait, output, submittedAt);
		return await tasks.toItem(finished, output, itemIndex, request);
	};
	return await item().catch((error: unknown) => {
		if (error instanceof TaskError && error.cause instanceof TaskFailedError) {
			taskFailed?.(itemIndex, task.id);
		}
		throw error;
	});
}
