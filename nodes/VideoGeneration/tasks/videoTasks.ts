import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	isFinished,
	type InlineVideo,
	type Patience,
	TaskPoller,
	taskFailedError,
	type VideoTask,
	WaitTimeoutError,
	type WallTime,
} from '../../../gateway';
import type { Service } from '../../shared/run/connect';
import { TaskError } from '../../shared/run/errorText';
import { RunHints } from '../../shared/form/hints';
import { withInputFields } from '../../shared/form/inputFields';
import { videoFile } from '../output/fileName';
import type { OutputOptions } from '../output/outputOptions';
import { fullTask, simplifiedTask } from '../output/taskItem';
import { storeVideo } from '../output/storeVideo';
import type { TaskLog } from './taskLog';
import type { WaitOptions } from './waitOptions';
import type { ItemPlace } from '../output/stateRoom';

/** Polls the video tasks of one run of the node, waits for them, and makes items of them. */
export class VideoTasks {
	/** Inline videos in temporary files, by the poll that brought them: several items may name one task. */
	private readonly inline = new WeakMap<VideoTask, InlineVideo>();
	private readonly downloads = new Set<string>();
	private readonly poller: TaskPoller;

	constructor(
		private readonly service: Service,
		private readonly log: TaskLog,
		/** Shown when the run is over. */
		private readonly hints: RunHints,
	) {
		this.poller = new TaskPoller(
			async (id, stop, patience) => await this.fetch(id, stop, patience),
			service.signal,
		);
	}

	/**
	 * Gets the state of a task once.
	 * @throws TaskError
	 */
	async poll(taskId: string, output: OutputOptions): Promise<VideoTask> {
		if (output.binaryProperty !== undefined) this.downloads.add(taskId);
		return await this.about(taskId, async () => await this.fetch(taskId, this.service.signal));
	}

	/**
	 * Waits until a task is finished, or until Max Wait is over.
	 * @param task its last known state
	 * @param submittedAt undefined for a task of an earlier execution
	 * @throws TaskError
	 */
	async wait(
		task: VideoTask,
		options: WaitOptions,
		output: OutputOptions,
		submittedAt?: WallTime,
	): Promise<VideoTask> {
		if (output.binaryProperty !== undefined) this.downloads.add(task.id);
		this.log.beginWait();
		return await this.about(task.id, async () => {
			const waiting = this.poller.wait(task, { ...options, submittedAt });
			const latest = await waiting.catch((error: unknown) => {
				if (error instanceof WaitTimeoutError && options.onTimeout === 'output') return error.task;
				throw error;
			});
			if (isFinished(latest)) this.log.endWait();
			else
				this.hints.note(
					'not finished: Max Wait is over. The operations Wait and Get take the task_id.',
				);
			return latest;
		});
	}

	/**
	 * The item of a task, with the video if Download is on.
	 * @param request the service's object of the request that created the task, if known
	 * @param place where the item is kept for now, if not in n8n's output
	 * @throws TaskError, also for a failed task
	 */
	async toItem(
		task: VideoTask,
		output: OutputOptions,
		itemIndex: number,
		request?: IDataObject,
		place?: ItemPlace,
	): Promise<INodeExecutionData> {
		return await this.about(task.id, async () => {
			try {
				if (task.status === 'failed') throw taskFailedError(task);
				const own = output.simplify ? simplifiedTask(task, request) : fullTask(task);
				const json = this.jsonOf(itemIndex, own, output);
				const binary = await this.download(task, output, place);
				return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
			} finally {
				await this.drop(task);
			}
		});
	}

	/** The JSON of an item: with the fields of its input item, if they are wanted. */
	jsonOf(itemIndex: number, own: IDataObject, { includeInputFields }: OutputOptions) {
		const { context } = this.service;
		return includeInputFields ? withInputFields(context, itemIndex, own, this.hints) : own;
	}

	private async download(
		task: VideoTask,
		{ binaryProperty, fileName, fileNumber }: OutputOptions,
		place: ItemPlace | undefined,
	) {
		if (binaryProperty === undefined || task.status !== 'completed') return undefined;
		const file = videoFile(task, fileName, fileNumber);
		const video = await storeVideo(this.service, task, file, this.inline.get(task), place);
		// Older versions of n8n keep files in memory by default: such a file has no id.
		if (video.id === undefined)
			this.hints.note(
				'held in the memory of n8n, which large videos can fill. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem, or in queue mode to database or s3.',
			);
		return { [binaryProperty]: video };
	}

	private async fetch(
		taskId: string,
		signal: AbortSignal | undefined,
		patience?: Patience,
	): Promise<VideoTask> {
		const videos: InlineVideo[] = [];
		const keep = this.downloads.has(taskId)
			? (video: InlineVideo) => videos.push(video)
			: undefined;
		const task = await this.service.gateway.getVideoTask(taskId, signal, keep, patience);
		for (const video of videos) this.inline.set(task, video);
		if (!isFinished(task)) await this.drop(task);
		return this.log.note(task);
	}

	/** Removes the inline video that a poll brought. */
	private async drop(task: VideoTask): Promise<void> {
		await this.inline.get(task)?.remove();
	}

	/** Does work on a task: whatever it throws names the task. */
	async about<Result>(taskId: string, work: () => Promise<Result>): Promise<Result> {
		return await work().catch((error: unknown) => {
			throw new TaskError(this.log.stateOf(taskId), error);
		});
	}
}
