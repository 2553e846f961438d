import type { IBinaryData } from 'n8n-workflow';
import {
	type BookEntry,
	CancelledError,
	isFinished,
	isNotFound,
	type InlineVideo,
	type PaidTask,
	type Patience,
	ServiceError,
	storageError,
	TaskPoller,
	taskFailedError,
	type VideoTask,
	WaitTimeoutError,
} from '../../gateway';
import { isUnknownHere, type PaidBook } from '../shared/book/book';
import type { PaidRun } from '../shared/book/withBook';
import type { DurableWait } from '../shared/durableWait/durableWait';
import type { Service } from '../shared/run/connect';
import { reportError, TaskError } from '../shared/run/errorText';
import { videoFile } from './fileName';
import type { OpenTask } from './nextPoll';
import type { VideoOutput } from './output';
import type { OutputOptions } from './outputOptions';
import type { TaskLog } from './taskLog';

/** What an operation works with during one run of the node. */
export interface VideoRun extends PaidRun {
	durable: DurableWait;
	tasks: VideoTasks;
	log: TaskLog;
	output: VideoOutput;
}

/** What an operation does with an item, once the parameters of all items are read and checked. */
export interface Planned {
	/** With its settings. */
	entry: BookEntry;
	/** What is done before its tasks are waited for. */
	start?: () => Promise<void>;
}

/** Polls the video tasks of one run of the node, waits for them, and downloads their videos. */
export class VideoTasks {
	/** Inline videos in temporary files, by the poll that brought them: several items may name one task. */
	private readonly inline = new WeakMap<VideoTask, InlineVideo>();
	private readonly downloads = new Set<string>();
	private readonly poller: TaskPoller;
	private inMemory: Promise<boolean> | undefined;

	constructor(
		private readonly service: Service,
		private readonly book: PaidBook,
		private readonly log: TaskLog,
	) {
		this.poller = new TaskPoller(
			async (id, stop, patience) => await this.fetch(id, stop, patience),
			service.signal,
		);
	}

	/** Gets the state of a task once, and its video if it is finished. */
	async get({ tasks, settings }: BookEntry): Promise<void> {
		const output = settings?.output ?? { simplify: true };
		for (const task of tasks)
			await this.attempt(task, async () => {
				this.expect(task, output);
				task.entry = await this.fetch(task.entry.id, this.service.signal);
				await this.finish(task, output, 1);
			});
	}

	/** Waits for a task, or polls it once if the wait may pause, and settles it if it is over. */
	async settle({ task, wait, output, number }: OpenTask, mayPause: boolean): Promise<void> {
		const { onTimeout, ...settings } = wait;
		const known = task.entry;
		this.expect(task, output);
		this.log.beginWait();
		await this.attempt(task, async () => {
			const waiting = this.poller.wait(task, settings, mayPause).catch((error: unknown) => {
				const isKnown = task.submittedAt !== undefined || task.submitted !== undefined;
				if (!(error instanceof WaitTimeoutError) || onTimeout === 'error' || !isKnown) throw error;
			});
			await waiting.finally(() => {
				if (task.entry === known) return;
				// The service at this address knows it.
				task.address = this.book.address;
				delete task.unknownAt;
			});
			// What a try before knew has no URL and no file any more: a poll that failed is followed by another.
			if (mayPause && (!isFinished(task.entry) || task.entry === known)) return;
			await this.finish(task, output, number, mayPause);
		});
	}

	/**
	 * Whatever fails is the error of the task.
	 * @throws CancelledError
	 */
	private async attempt(task: PaidTask, work: () => Promise<void>): Promise<void> {
		await work().catch((error: unknown) => {
			if (error instanceof CancelledError) throw error;
			if (isNotFound(error)) task.isUnknown = true;
			task.error = reportError(new TaskError(task, this.explained(error, task)));
			task.isSettled = true;
		});
	}

	/** A service at another address may be another one: then it knows no task of the first. */
	private explained(error: unknown, task: PaidTask): unknown {
		if (!isNotFound(error) || !isUnknownHere(task, this.book.address)) return error;
		const { message, code, status } = error;
		return new ServiceError(message, {
			status,
			code,
			advice:
				'It was submitted at another Base URL, and the service at this one does not know it. Nothing was submitted again. Set the Base URL of the credential back, or get the video there.',
		});
	}

	/**
	 * Settles a task, and downloads its video if it is finished and Download is on.
	 * @param number which of several videos of the same item it is, from 1
	 * @param mayPause whether n8n may store the file with a pause that follows: one in memory is left for later, since each pause
	 * would write it again
	 * @throws GatewayError when the task failed or has no video, or the video is not completely downloaded or stored
	 */
	private async finish(
		task: PaidTask,
		{ binaryProperty, fileName }: OutputOptions,
		number: number,
		mayPause = false,
	): Promise<void> {
		const { entry } = task;
		const inline = this.inline.get(entry);
		try {
			if (entry.status === 'failed') throw taskFailedError(entry);
			if (binaryProperty !== undefined && entry.status === 'completed') {
				if (mayPause && (await this.storesInMemory())) {
					// Polled again, for a fresh URL.
					task.entry = { id: entry.id, status: entry.status };
					return;
				}
				const fileOf = (type?: string) => videoFile(entry, fileName, number, type);
				task.file = { ...(await this.store(entry, inline, fileOf)) };
			}
			task.isSettled = true;
		} finally {
			await inline?.remove();
		}
	}

	/** Whether n8n keeps files in memory: they have no id then. Nothing else tells before a large one is stored. */
	private async storesInMemory(): Promise<boolean> {
		const { prepareBinaryData } = this.service.context.helpers;
		this.inMemory ??= prepareBinaryData(Buffer.alloc(1), 'probe.mp4', 'video/mp4').then(
			({ id }) => id === undefined,
			// What fails here fails with the video, too, whose error says more.
			() => false,
		);
		return await this.inMemory;
	}

	private async store(
		task: VideoTask,
		inline: InlineVideo | undefined,
		fileOf: (type?: string) => ReturnType<typeof videoFile>,
	): Promise<IBinaryData> {
		const { context, gateway, signal } = this.service;
		const put = async (video: ReturnType<InlineVideo['read']>, announced?: string) => {
			const { name, type } = fileOf(announced);
			return await context.helpers.prepareBinaryData(video, name, type);
		};
		if (inline !== undefined)
			return await put(inline.read()).catch((error: unknown) => {
				throw storageError(error);
			});
		return await gateway.downloadVideo(
			task,
			async ({ stream, type }) => await put(stream, type),
			signal,
		);
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
		// Nobody waits for it if the execution was stopped meanwhile.
		if (!isFinished(entry) || signal?.aborted) await this.inline.get(entry)?.remove();
		this.log.polled(isFinished(entry));
		return entry;
	}
}
