import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	isFinished,
	type InlineVideo,
	TaskPoller,
	taskFailedError,
	type VideoTask,
	WaitTimeoutError,
} from '../../gateway';
import type { Service } from '../shared/connect';
import { errorItem, TaskError, type TaskState } from '../shared/errorText';
import { RunHints } from '../shared/hints';
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
export class VideoTasks {
	private readonly states = new Map<string, TaskState>();
	/** Inline videos, by the look that brought them: several items may name one task. */
	private readonly inline = new WeakMap<VideoTask, InlineVideo>();
	private readonly downloads = new Set<string>();
	private readonly watch: TaskPoller;
	/** What is told when the run is over. */
	readonly hints = new RunHints('video');

	constructor(private readonly service: Service) {
		this.watch = new TaskPoller(async (id, stop) => await this.look(id, stop), service.signal);
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
			if (output.binaryProperty !== undefined) this.downloads.add(taskId);
			const task = await this.look(taskId, this.service.signal);
			if (output.binaryProperty !== undefined && !isFinished(task))
				this.hints.note('not finished yet, so there is nothing to download. Wait, or Get later.');
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
			if (output.binaryProperty !== undefined) this.downloads.add(task.id);
			const finished = await this.watch.wait(task, wait).catch((error: unknown) => {
				if (error instanceof WaitTimeoutError && wait.onTimeout === 'output') return error.task;
				throw error;
			});
			if (!isFinished(finished))
				this.hints.note(
					'not finished: Max Wait is over. The operations Wait and Get take the task_id.',
				);
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
		return await this.makeItem(task, output, itemIndex).finally(async () => await this.drop(task));
	}

	private async makeItem(task: VideoTask, output: OutputOptions, itemIndex: number) {
		if (task.status === 'failed') throw taskFailedError(task);
		const { simplify, binaryProperty } = output;
		const json: IDataObject = simplify ? simplifiedTask(task) : fullTask(task);
		const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
		if (binaryProperty !== undefined && task.status === 'completed') {
			const video = await downloadVideo(this.service, task, this.inline.get(task));
			item.binary = { [binaryProperty]: video };
			// Older versions of n8n keep files in memory unless told otherwise: such a file has no place of its own.
			if (video.id === undefined)
				this.hints.note(
					'held in the memory of n8n, which large videos can fill. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem.',
				);
		}
		return item;
	}

	private async look(taskId: string, signal: AbortSignal | undefined): Promise<VideoTask> {
		const videos: InlineVideo[] = [];
		const keep = this.downloads.has(taskId)
			? (video: InlineVideo) => videos.push(video)
			: undefined;
		const task = await this.service.gateway.getVideoTask(taskId, signal, keep);
		for (const video of videos) this.inline.set(task, video);
		if (!isFinished(task)) await this.drop(task);
		return this.note(task);
	}

	/** Removes the inline video that a look brought. */
	private async drop(task: VideoTask): Promise<void> {
		await this.inline.get(task)?.remove();
	}

	private async about<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
		const unseen = { task_id: taskId, status: 'unknown' };
		if (!this.states.has(taskId)) this.states.set(taskId, unseen);
		return await work().catch((error: unknown) => {
			throw new TaskError(this.states.get(taskId) ?? unseen, error);
		});
	}
}
