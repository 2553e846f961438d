import {
	CancelledError,
	isNotFound,
	isOwn,
	later,
	type Pauses,
	systemClock,
	taskFailed,
	type VideoTask,
	waitForTask,
} from '../../../gateway';
import { isSubmittedHere } from '../../shared/book/book';
import { recordOf } from '../../shared/run/errorText';
import { adviceAbout } from './advice';
import { download, isDownloaded } from './download';
import { offersRetry, stateOf, tellOfPoll, urlOf } from './log';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import type { VideoRun } from './plan';

/**
 * Waits for a task, or polls it once, and settles it if it is over. What fails becomes the error of the task.
 * @param pauses between which it may be polled
 * @throws CancelledError
 */
export async function settleTask(
	run: VideoRun,
	entry: BookEntry,
	task: PaidTask,
	pauses: Pauses,
): Promise<void> {
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
			...{ task, interval, maxWaitMs, pauses, signal },
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
