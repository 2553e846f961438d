import {
	isFinished,
	type InlineVideo,
	type PaidTask,
	type Patience,
	TaskPoller,
	taskFailedError,
	type VideoTask,
	WaitTimeoutError,
} from '../../gateway';
import type { Service } from '../shared/run/connect';
import { storesInMemory, storeVideo } from './download';
import { videoFile } from './fileName';
import type { OutputOptions } from './outputOptions';
import type { TaskLog } from './taskLog';
import type { WaitOptions } from './waitOptions';

/** Polls the video tasks of one run of the node, waits for them, and downloads their videos. */
export class VideoTasks {
	/** Inline videos in temporary files, by the poll that brought them: several items may name one task. */
	private readonly inline = new WeakMap<VideoTask, InlineVideo>();
	private readonly downloads = new Set<string>();
	private readonly poller: TaskPoller;
	private inMemory: Promise<boolean> | undefined;

	constructor(
		private readonly service: Service,
		private readonly log: TaskLog,
	) {
		this.poller = new TaskPoller(
			async (id, stop, patience) => await this.fetch(id, stop, patience),
			service.signal,
		);
	}

	/** Gets the state of a task once. */
	async poll(task: PaidTask, output: OutputOptions): Promise<void> {
		this.expect(task, output);
		task.entry = await this.fetch(task.entry.id, this.service.signal);
	}

	/**
	 * Waits until a task is finished, or until Max Wait is over.
	 * @param once whether one poll is enough, whatever it shows
	 * @throws GatewayError
	 */
	async wait(
		task: PaidTask,
		{ onTimeout, ...settings }: WaitOptions,
		output: OutputOptions,
		once: boolean,
	): Promise<void> {
		this.expect(task, output);
		this.log.beginWait();
		await this.poller.wait(task, settings, once).catch((error: unknown) => {
			if (!(error instanceof WaitTimeoutError) || onTimeout === 'error') throw error;
		});
		if (isFinished(task.entry)) this.log.endWait();
	}

	/**
	 * Downloads the video of a task, if it is finished and Download is on.
	 * @param number which of several videos of the same item it is, from 1
	 * @param mayPause whether n8n may store the file with a pause that follows
	 * @returns false for a file in memory that a pause would store: each pause would write it again
	 * @throws GatewayError, also for a failed task
	 */
	async finish(
		task: PaidTask,
		{ binaryProperty, fileName }: OutputOptions,
		number: number,
		mayPause = false,
	): Promise<boolean> {
		const { entry } = task;
		try {
			if (entry.status === 'failed') throw taskFailedError(entry);
			if (binaryProperty === undefined || entry.status !== 'completed') return true;
			if (mayPause && (await (this.inMemory ??= storesInMemory(this.service)))) return false;
			const file = videoFile(entry, fileName, number);
			const inline = this.inline.get(entry);
			task.file = { ...(await storeVideo(this.service, entry, file, inline)) };
			return true;
		} finally {
			await this.inline.get(entry)?.remove();
		}
	}

	private expect(task: PaidTask, { binaryProperty }: OutputOptions): void {
		if (binaryProperty !== undefined) this.downloads.add(task.entry.id);
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
		const entry = await this.service.gateway.getVideoTask(taskId, signal, keep, patience);
		for (const video of videos) this.inline.set(entry, video);
		if (!isFinished(entry)) await this.inline.get(entry)?.remove();
		this.log.polled();
		return entry;
	}
}
