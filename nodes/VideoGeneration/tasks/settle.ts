import {
	CancelledError,
	isNotFound,
	isOwn,
	later,
	msBetween,
	systemClock,
	taskFailed,
	type VideoTask,
	waitForTask,
} from '../../../gateway';
import { isSubmittedHere } from '../../shared/book/book';
import { MIN_PAUSE_MS } from '../../shared/durableWait/durableWait';
import { recordOf } from '../../shared/run/errorText';
import { adviceAbout } from './advice';
import { download, isDownloaded } from './download';
import { offersRetry, stateOf, tellOfPoll, urlOf } from './log';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import type { VideoRun } from './plan';

/** n8n resumes everything that is due at once: pauses that start together end apart. */
export const SPREAD_MS = 5_000;
/** A task with less than this before its deadline is waited for in memory: a pause might take longer. */
export const MIN_WAIT_MS = MIN_PAUSE_MS + SPREAD_MS;

/** The tasks of an item that are to be settled. */
export function openTasks({ tasks }: BookEntry): PaidTask[] {
	return tasks.filter(({ state }) => state === 'open');
}

/** Whether the wait for a task may be in n8n's database now. */
export function mayPause({ inMemory }: VideoRun, { deadline }: PaidTask): boolean {
	const leftMs = deadline ? msBetween(systemClock.wallTime(), deadline) : 0;
	return inMemory === undefined && leftMs >= MIN_WAIT_MS;
}

/**
 * Waits for a task, or polls it once, and settles it if it is over. What fails becomes the error of the task. A task that waits in
 * the database stays open.
 * @throws CancelledError
 */
export async function settleTask(run: VideoRun, entry: BookEntry, task: PaidTask): Promise<void> {
	const { gatewayOf, signal } = run;
	const { waitOptions } = entry;
	if (waitOptions) task.deadline ??= later(systemClock.wallTime(), waitOptions.maxWaitMs);
	const { status, used } = task.latest;
	const { id, url } = used ?? task.latest;
	const { interval = 0, maxWaitMs } = waitOptions ?? {};
	/** The inline video to download, if there is one. */
	const videos: Buffer[] = [];
	const isDownloading = isDownloaded(entry) && !task.file;
	const keep = isDownloading ? (video: Buffer) => void videos.push(video) : undefined;
	// The interface does not show where a completed task has inline data: without Download, all of the task is handed on.
	const hasVideo = ({ url: found, status: said }: VideoTask) =>
		Boolean(found) || videos.length > 0 || (!isDownloading && said === 'completed');
	try {
		const gateway = gatewayOf(entry.item);
		const waiting = waitForTask({
			...{ task, interval, maxWaitMs, signal },
			pauses: { shortest: MIN_PAUSE_MS, allow: () => mayPause(run, task) },
			get: async (stop, withinMs) => {
				const found = await gateway.getVideoTask(id, stop, keep, withinMs);
				tellOfPoll(run, entry.item, task, found);
				return found;
			},
			hasVideo,
			hasFile: task.file !== undefined,
		});
		const ended = await waiting.catch((error: unknown) => {
			// The URL of a video that was seen finished may still lead to it.
			const mayHaveVideo = status === 'completed' && urlOf({ url }) !== null;
			const isKnown = isSubmittedHere(task) || task.submitted !== undefined;
			const isLate = isKnown && isOwn(recordOf(error), 'wait_timeout');
			const isEnough = mayHaveVideo || (isLate && waitOptions?.onTimeout === 'output');
			if (!isEnough || error instanceof CancelledError) throw error;
			return 'as it is' as const;
		});
		if (ended === undefined) return;
		const isWaitedFor = task.deadline !== undefined && ended !== 'as it is';
		if (isWaitedFor && ended.status !== 'failed' && !hasVideo(ended))
			throw gateway.lacksVideo(ended);
		const { latest } = task;
		if (isDownloaded(entry) && latest.status === 'completed')
			task.file ??= await download(run, entry, task, videos[0]);
		task.state = latest.status === 'failed' ? 'failed' : 'done';
		if (task.state === 'failed') task.error = recordOf(taskFailed(latest), stateOf(task));
	} catch (error) {
		if (error instanceof CancelledError) return await Promise.reject(error);
		failTask(run, task, error);
	}
}

/** Settles a task that may be paid for by its error. */
export function failTask(run: VideoRun, task: PaidTask, error: unknown): void {
	task.state = isNotFound(error) ? 'unknown' : 'failed';
	task.error = recordOf(error, stateOf(task), adviceAbout(task, error, offersRetry(run)));
}
