import type { IBinaryData, INodeProperties } from 'n8n-workflow';
import {
	CancelledError,
	GatewayError,
	idText,
	InvalidInputError,
	type IncomingVideo,
	isNotFound,
	parseTaskId,
	type Pauses,
	storageError,
	TaskFailedError,
	videoFormat,
	UrlRefusedError,
	waitForTask,
	WaitTimeoutError,
} from '../../gateway';
import { liveTasks } from '../shared/book/book';
import type { BookEntry, PaidTask } from '../shared/book/schema';
import type { FormReader } from '../shared/form/formReader';
import { simplifyProperty } from '../shared/form/sharedProperties';
import { reportError } from '../shared/run/errorText';
import { taskFields } from './output';
import { downloadProperties, outputOptionsProperty, readOutput, videoFile } from './resultOptions';
import type { Operation, Plan, VideoRun } from './submit';
import { anotherNode, stateOf, urlOf } from './taskLog';

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
		book.add({ item, tasks: [{ state: 'open', latest: service.gatewayOf(item).knownTask(id) }] });
}

/** A task in the state `open`. */
export interface OpenTask {
	entry: BookEntry;
	task: PaidTask;
}

/**
 * Waits for a task, or polls it once, and settles it if it is over. What fails becomes the error of the task.
 * @param pauses between which it may be polled
 * @throws CancelledError
 */
export async function settleTask(run: VideoRun, open: OpenTask, pauses: Pauses): Promise<void> {
	const { task } = open;
	const videos: Buffer[] = [];
	const settling = poll(run, open, pauses, videos).then(async (isOver) => {
		if (isOver) await finish(run, open, videos[0]);
	});
	await settling.catch((error: unknown) => {
		if (error instanceof CancelledError) throw error;
		task.state = isNotFound(error) ? 'unknown' : 'failed';
		const advice = adviceAbout(task, error, run.log.offersRetry);
		task.error = reportError(error, stateOf(task), advice);
	});
}

/**
 * @param videos gets the inline video, if there is one to download
 * @returns whether the wait is over
 */
async function poll(
	{ service: { gatewayOf, signal } }: VideoRun,
	{ entry, task }: OpenTask,
	pauses: Pauses,
	videos: Buffer[],
): Promise<boolean> {
	const gateway = gatewayOf(entry.item);
	const { status, used } = task.latest;
	const { id, url } = used ?? task.latest;
	const { interval = 0, polling = 'fixed', onTimeout } = entry.waitOptions ?? {};
	const keep = isDownloaded(entry) ? (video: Buffer) => void videos.push(video) : undefined;
	const waiting = waitForTask({
		...{ task, interval, polling, pauses, signal },
		get: async (stop, withinMs) => await gateway.getVideoTask(id, stop, keep, withinMs),
		hasVideo: (found) => !isDownloaded(entry) || Boolean(found.url) || videos.length > 0,
	});
	return await waiting.then(Boolean, (error: unknown) => {
		const isKnown = task.submittedAt !== undefined || task.submitted !== undefined;
		const isOutput = onTimeout === 'output' && isKnown && error instanceof WaitTimeoutError;
		// The URL of a video that was seen finished may still lead to it.
		const mayHaveVideo = status === 'completed' && urlOf({ url }) !== null;
		if (error instanceof CancelledError || !(mayHaveVideo || isOutput)) throw error;
		return true;
	});
}

/** @throws GatewayError when the task failed or has no video, or the video is not completely downloaded or stored */
async function finish(run: VideoRun, open: OpenTask, inline: Buffer | undefined): Promise<void> {
	const { entry, task } = open;
	const { latest } = task;
	if (latest.status === 'failed') throw new TaskFailedError(latest);
	if (isDownloaded(entry) && latest.status === 'completed')
		task.file = await store(run, open, inline);
	task.state = 'done';
}

/** Puts the video of a completed task into n8n's storage. */
async function store(
	{ service: { context, gatewayOf, signal } }: VideoRun,
	{ entry, task }: OpenTask,
	inline: Buffer | undefined,
): Promise<IBinaryData> {
	const gateway = gatewayOf(entry.item);
	const { latest } = task;
	const { fileName } = entry.outputOptions ?? {};
	const number = liveTasks(entry).indexOf(task) + 1;
	const put = async (video: Buffer | IncomingVideo['stream'], extension: string | undefined) => {
		const { name, type } = videoFile(latest, fileName, number, extension);
		return await context.helpers.prepareBinaryData(video, name, type);
	};
	if (inline === undefined)
		return await gateway.downloadVideo(
			latest,
			async ({ stream, extension }) => await put(stream, extension),
			signal,
		);
	const extension = videoFormat(inline, (text) => gateway.redactError(text));
	return await put(inline, extension).catch((error: unknown) => {
		throw storageError(error);
	});
}

/** What to do about a task that may be paid for: the gateway knows neither nodes nor n8n's Retry. */
function adviceAbout(task: PaidTask, error: unknown, offersRetry: boolean): string | undefined {
	const { id, status } = task.latest;
	const isOurs = task.submittedAt !== undefined;
	if (task.state === 'unknown' && isOurs)
		return `Nothing was submitted again. If the Base URL of the credential was changed, set it back${offersRetry ? ' and use Retry' : ''}. Otherwise run the workflow again: it submits another video.`;
	// A second poll of an ID that no URL can contain is refused, too.
	if (error instanceof TaskFailedError || error instanceof InvalidInputError) return undefined;
	if (task.state === 'unknown') return undefined;
	// The URL leads to no video, and the next download would bring the same.
	const isRefused = error instanceof GatewayError && error.code === 'download_refused';
	if (isRefused && !(error instanceof UrlRefusedError))
		return 'Get with this task ID and Download off returns what the service says of it.';
	if (!isOurs) return 'Executing this node again costs nothing.';
	const isDone = status === 'completed';
	const other = anotherNode(isDone ? 'Get' : 'Wait', `the task ID ${idText(id)}`);
	const how = offersRetry
		? `Retry of this execution ${isDone ? 'downloads it' : 'waits for it again'} without paying. Or ${other}.`
		: `To get it without paying again, ${other}.`;
	return `${how} Executing this node again pays for another video.`;
}

const isDownloaded = ({ outputOptions }: BookEntry) => outputOptions?.binaryProperty !== undefined;
