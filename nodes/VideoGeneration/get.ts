import { type IBinaryData, type INodeProperties } from 'n8n-workflow';
import {
	CancelledError,
	GatewayError,
	idText,
	InvalidInputError,
	isFinished,
	type IncomingVideo,
	isNotFound,
	later,
	parseTaskId,
	storageError,
	systemClock,
	TaskPoller,
	TaskFailedError,
	videoFormat,
	type VideoTask,
	UrlRefusedError,
	WaitTimeoutError,
} from '../../gateway';
import { liveTasks } from '../shared/book/book';
import type { BookEntry, PaidTask } from '../shared/book/schema';
import type { FormReader } from '../shared/form/formReader';
import { asHtml, hintAfterRun } from '../shared/form/hints';
import { simplifyProperty } from '../shared/form/sharedProperties';
import type { Service } from '../shared/run/connect';
import { reportError } from '../shared/run/errorText';
import { taskFields } from './output';
import { downloadProperties, outputOptionsProperty, readOutput, videoFile } from './resultOptions';
import type { Operation, Plan } from './submit';
import { anotherNode, stateOf, type TaskLog, urlOf } from './taskLog';

export const taskIdProperty: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '={{ $json.task_id }}',
	required: true,
	description:
		'The task_id that Submit or Generate returned. The service keeps tasks for about 7 days.',
};

/** Polls a task once, and downloads its video if it is finished and Download is on. */
export const get: Operation = {
	option: {
		name: 'Get',
		action: "Get a video's status",
		description: 'Get the status and the URL of a video submitted earlier',
	},
	properties: [taskIdProperty, ...downloadProperties, simplifyProperty, outputOptionsProperty],
	outputFields: taskFields,
	plan: (form, item, options) => ({
		open: planTask(form, item),
		outputOptions: readOutput(form, item, options),
	}),
};

/**
 * The entry of an item about a task that someone submitted earlier, wherever that was.
 * @throws InvalidInputError
 */
export function planTask(form: FormReader, itemIndex: number): Plan['open'] {
	const value = form.read('taskId', itemIndex);
	// A pasted ID may have a line break. An expression reads the ID as the service wrote it.
	const isPasted = typeof value === 'string' && form.isText('taskId');
	const id = parseTaskId(isPasted ? value.trim() : value);
	return ({ book, service }, item) =>
		book.add({ item, tasks: [{ state: 'open', latest: service.gateway.knownTask(id) }] });
}

/** A task in the state `open`. */
export interface OpenTask {
	entry: BookEntry;
	task: PaidTask;
	/** Its inline video, if Download is on. */
	inline?: Buffer;
}

/** Polls the video tasks of one run of the node, waits for them, and downloads their videos. */
export class VideoTasks {
	private readonly poller: TaskPoller;
	private inMemory: Promise<boolean> | undefined;

	constructor(
		private readonly service: Service,
		private readonly log: TaskLog,
	) {
		this.poller = new TaskPoller(service.signal);
	}

	/**
	 * Waits for a task, or polls it once, and settles it if it is over. What fails becomes the error of the task.
	 * @param mayPause whether it may be polled again in another run
	 * @throws CancelledError
	 */
	async settle(open: OpenTask, mayPause: boolean): Promise<void> {
		const { task } = open;
		const known = task.latest;
		const polling = this.poll(open, mayPause).catch((error: unknown) => {
			// The URL of a video that was seen finished may still lead to it.
			const isUseless = known.status !== 'completed' || urlOf(known.used ?? known) === null;
			if (error instanceof CancelledError || isUseless) throw error;
		});
		const settling = polling.then(async () => {
			// What an earlier try knew may be outdated: a failed poll is followed by another.
			if (mayPause && (!isFinished(task.latest) || task.latest === known)) return;
			await this.finish(open, mayPause);
		});
		const failing = settling.catch((error: unknown) => {
			if (error instanceof CancelledError) throw error;
			task.state = isNotFound(error) ? 'unknown' : 'failed';
			const advice = adviceAbout(task, error, this.log.offersRetry);
			task.error = reportError(error, stateOf(task), advice);
		});
		await failing.finally(() => delete open.inline);
	}

	private async poll(open: OpenTask, once: boolean): Promise<void> {
		const { entry, task } = open;
		const { gateway, signal } = this.service;
		const keep = isDownloaded(entry) ? (video: Buffer) => void (open.inline = video) : undefined;
		const { id } = task.latest.used ?? task.latest;
		const get = async (stop?: AbortSignal, withinMs?: number) => {
			const found = await gateway.getVideoTask(id, stop, keep, withinMs);
			this.log.polled(found);
			noteFound(task, found);
			return found;
		};
		const { waitOptions } = entry;
		if (waitOptions === undefined) return void (await get(signal));
		this.log.beginWait(task);
		const { pollIntervalMs: interval, maxWaitMs, polling, onTimeout } = waitOptions;
		const { submittedAt, deadline = later(systemClock.wallTime(), maxWaitMs) } = task;
		const isKnown = () => submittedAt !== undefined || task.submitted !== undefined;
		const hasVideo = ({ url }: VideoTask) => !isDownloaded(entry) || Boolean(url ?? open.inline);
		const options = { get, interval, deadline, polling, submittedAt, isKnown, hasVideo, once };
		const last = await this.poller.poll(id, options).catch((error: unknown) => {
			const isHandedOn = onTimeout === 'output' && isKnown();
			if (!(error instanceof WaitTimeoutError) || !isHandedOn) throw error;
		});
		task.latest = last ?? task.latest;
	}

	/**
	 * Settles a task, and downloads its video if it is finished and Download is on.
	 * @param mayPause whether n8n may store the file with a pause that follows: one in memory is left for later, since each pause
	 * would write it again
	 * @throws GatewayError when the task failed or has no video, or the video is not completely downloaded or stored
	 */
	private async finish(open: OpenTask, mayPause: boolean): Promise<void> {
		const { entry, task } = open;
		if (task.latest.status === 'failed') throw new TaskFailedError(task.latest);
		if (isDownloaded(entry) && task.latest.status === 'completed') {
			// It is polled again later, for a fresh URL.
			if (mayPause && (await this.storesInMemory())) return;
			task.file = await this.store(open);
		}
		task.state = 'done';
	}

	/** Whether n8n keeps files in memory, where they have no ID. Nothing else shows that before a large file is stored. */
	private async storesInMemory(): Promise<boolean> {
		const { prepareBinaryData } = this.service.context.helpers;
		this.inMemory ??= prepareBinaryData(Buffer.alloc(1), 'probe.mp4', 'video/mp4').then(
			({ id }) => id === undefined,
			// A storage that fails here fails with the video, too, whose error says more.
			() => false,
		);
		return await this.inMemory;
	}

	private async store({ entry, task, inline }: OpenTask): Promise<IBinaryData> {
		const { latest } = task;
		const { fileName } = entry.outputOptions ?? {};
		const number = liveTasks(entry).indexOf(task) + 1;
		const { context, gateway, signal } = this.service;
		const put = async (
			video: Parameters<typeof context.helpers.prepareBinaryData>[0],
			found: Pick<IncomingVideo, 'extension' | 'type'>,
		) => {
			if (found.extension === undefined) hintAfterRun(context, unknownFormat(latest.id));
			const { name, type } = videoFile(latest, fileName, number, found);
			return await context.helpers.prepareBinaryData(video, name, type);
		};
		if (inline !== undefined) {
			const extension = videoFormat(inline, (text) => gateway.redactError(text));
			return await put(inline, { extension }).catch((error: unknown) => {
				throw storageError(error);
			});
		}
		return await gateway.downloadVideo(
			latest,
			async ({ stream, ...found }) => await put(stream, found),
			signal,
		);
	}
}

const unknownFormat = (id: string) =>
	`The file of video task ${asHtml(id)} has a format that this node does not know: check that it plays.`;

/** Writes down what a poll found. */
function noteFound(task: PaidTask, found: VideoTask): void {
	const { progress, status } = found;
	task.submitted ??= task.latest;
	task.latest = found;
	if (typeof progress === 'number' && status !== 'queued')
		task.seen ??= { at: systemClock.wallTime(), progress };
}

const notFound = (offersRetry: boolean) =>
	`Nothing was submitted again. If the Base URL of the credential was changed, set it back${offersRetry ? ' and use Retry' : ''}. Otherwise run the workflow again: it submits another video.`;

/** What to do about a task that may be paid for: the gateway knows neither nodes nor n8n's Retry. */
function adviceAbout(task: PaidTask, error: unknown, offersRetry: boolean): string | undefined {
	const { id, status, url } = task.latest;
	const isOurs = task.submittedAt !== undefined;
	if (task.state === 'unknown') return isOurs ? notFound(offersRetry) : undefined;
	// A second poll of an ID that no URL can contain is refused, too.
	if (error instanceof TaskFailedError || error instanceof InvalidInputError) return undefined;
	// The URL leads to no video, and the next download would bring the same.
	const isRefused = error instanceof GatewayError && error.code === 'download_refused';
	if (isRefused && !(error instanceof UrlRefusedError)) {
		const how = url ? 'and Download off returns its URL' : 'later shows whether that changed';
		return `Get with this task ID ${how}.`;
	}
	if (!isOurs) return 'Executing this node again costs nothing.';
	const isDone = status === 'completed';
	const retry = isDone ? 'downloads it' : 'waits for it again';
	const other = anotherNode(isDone ? 'Get' : 'Wait', `the task ID ${idText(id)}`);
	return [
		offersRetry && `Retry of this execution ${retry} without paying.`,
		`${offersRetry ? 'Or' : 'To get it without paying again,'} ${other}.`,
		'Executing this node again pays for another video.',
	]
		.filter(Boolean)
		.join(' ');
}

const isDownloaded = ({ outputOptions }: BookEntry) => outputOptions?.binaryProperty !== undefined;
