import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { TaskWatch, taskFailedError, type VideoTask, WaitTimeoutError } from '../../gateway';
import type { Service } from '../shared/connect';
import { errorItem, TaskError, type TaskState } from '../shared/errors';
import { downloadVideo } from './download';
import { fullTask, simplifiedTask } from './taskItem';
import type { WaitOptions } from './waitOptions';

/** How the items of finished tasks look. */
export interface OutputOptions {
	simplify: boolean;
	/** The binary field for the video; undefined: do not download it. */
	binaryProperty: string | undefined;
}

/** All video tasks of one execution of the node: what is known of them, and one watch that waits for them. */
export class TaskRun {
	private readonly states = new Map<string, TaskState>();
	private readonly watch: TaskWatch;

	constructor(private readonly service: Service) {
		const { gateway, signal } = service;
		this.watch = new TaskWatch(
			async (id, stop) => this.note(await gateway.getVideoTask(id, stop)),
			signal,
		);
	}

	/** Keeps what is known of a task, for the case that the run ends badly. */
	note<Task extends { id: string; status: string; url?: string | null | undefined }>(
		task: Task,
	): Task {
		this.states.set(task.id, { task_id: task.id, status: task.status, url: task.url });
		return task;
	}

	/** Every task of the run in a line of its own, so that nothing paid for is lost with a thrown error. */
	list(): string {
		const lines = [...this.states.values()].map(
			({ task_id, status, url }) => `${task_id}: ${status}${url ? `, ${url}` : ''}`,
		);
		return lines.length === 0 ? '' : `Tasks of this run:\n${lines.join('\n')}`;
	}

	/** Asks once for the state of a task. */
	async get(taskId: string, output: OutputOptions, itemIndex: number): Promise<INodeExecutionData> {
		return await this.about(taskId, async () => {
			const task = this.note(await this.service.gateway.getVideoTask(taskId, this.service.signal));
			return await this.toItem(task, output, itemIndex);
		});
	}

	/** Waits until a task is finished, or until the wait is over. */
	async finish(
		task: VideoTask,
		wait: WaitOptions & { firstLookMs: number },
		output: OutputOptions,
		itemIndex: number,
	): Promise<INodeExecutionData> {
		return await this.about(task.id, async () => {
			const finished = await this.watch.wait(task, wait).catch((error: unknown) => {
				if (error instanceof WaitTimeoutError && wait.onTimeout === 'output') return error.task;
				throw error;
			});
			return await this.toItem(finished, output, itemIndex);
		});
	}

	/**
	 * The items of several tasks of one input item, in their order. With On Error "Stop Workflow" all are seen
	 * through before the first failure is thrown; otherwise failures stand beside successes.
	 */
	async together(
		tasks: Array<Promise<INodeExecutionData>>,
		itemIndex: number,
	): Promise<INodeExecutionData[]> {
		const outcomes = await Promise.allSettled(tasks);
		return outcomes.map((outcome) => {
			if (outcome.status === 'fulfilled') return outcome.value;
			if (!this.service.context.continueOnFail() || this.service.signal?.aborted)
				throw outcome.reason;
			return errorItem(outcome.reason, itemIndex);
		});
	}

	private async toItem(task: VideoTask, output: OutputOptions, itemIndex: number) {
		if (task.status === 'failed') throw taskFailedError(task);
		const { simplify, binaryProperty } = output;
		const json: IDataObject = simplify ? simplifiedTask(task) : fullTask(task);
		const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
		if (binaryProperty !== undefined && task.status === 'completed') {
			item.binary = { [binaryProperty]: await downloadVideo(this.service, task) };
		}
		return item;
	}

	private async about<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
		return await work().catch((error: unknown) => {
			throw new TaskError(this.states.get(taskId) ?? { task_id: taskId, status: 'unknown' }, error);
		});
	}
}
