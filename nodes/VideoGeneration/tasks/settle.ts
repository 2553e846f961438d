import {
	CancelledError,
	isNotFound,
	isOwn,
	type Pauses,
	taskFailed,
	waitForTask,
} from '../../../gateway';
import { isSubmittedHere } from '../../shared/book/book';
import { recordOf } from '../../shared/run/errorText';
import { adviceAbout } from './advice';
import { download, isDownloaded } from './download';
import { stateOf, urlOf } from './log';
import type { OpenTask, VideoRun } from './plan';

/**
 * Waits for a task, or polls it once, and settles it if it is over. What fails becomes the error of the task.
 * @param pauses between which it may be polled
 * @throws CancelledError
 */
export async function settleTask(run: VideoRun, open: OpenTask, pauses: Pauses): Promise<void> {
	const { gatewayOf, signal } = run.service;
	const { entry, task } = open;
	const { status, used } = task.latest;
	const { id, url } = used ?? task.latest;
	const { interval = 0, maxWaitMs } = entry.waitOptions ?? {};
	/** The inline video, if there is one to download. */
	const videos: Buffer[] = [];
	const keep = isDownloaded(entry) ? (video: Buffer) => void videos.push(video) : undefined;
	try {
		const gateway = gatewayOf(entry.item);
		const waiting = waitForTask({
			...{ task, interval, maxWaitMs, pauses, signal },
			get: async (stop, withinMs) => {
				const found = await gateway.getVideoTask(id, stop, keep, withinMs);
				run.log.polled(entry.item, task, found);
				return found;
			},
			hasVideo: (found) => !isDownloaded(entry) || Boolean(found.url) || videos.length > 0,
		});
		const isOver = await waiting.then(Boolean, (error: unknown) => {
			// The URL of a video that was seen finished may still lead to it.
			const mayHaveVideo = status === 'completed' && urlOf({ url }) !== null;
			const isEnough = mayHaveVideo || isUnfinishedOutput(open, error);
			if (!isEnough || error instanceof CancelledError) throw error;
			return true;
		});
		if (isOver) await finish(run, open, videos[0]);
	} catch (error) {
		if (error instanceof CancelledError) return await Promise.reject(error);
		task.state = isNotFound(error) ? 'unknown' : 'failed';
		const advice = adviceAbout(task, error, run.log.offersRetry);
		task.error = recordOf(error, stateOf(task), advice);
	}
}

/** Whether an unfinished task is to be handed on after Max Wait. */
function isUnfinishedOutput({ entry: { waitOptions }, task }: OpenTask, error: unknown): boolean {
	const isKnown = isSubmittedHere(task) || task.submitted !== undefined;
	return waitOptions?.onTimeout === 'output' && isKnown && isOwn(recordOf(error), 'wait_timeout');
}

/** @throws GatewayError when the task has no video, or the video is not completely downloaded or stored */
async function finish(run: VideoRun, open: OpenTask, inline: Buffer | undefined): Promise<void> {
	const { entry, task } = open;
	const { latest } = task;
	if (latest.status === 'failed') {
		task.state = 'failed';
		task.error = recordOf(taskFailed(latest), stateOf(task));
		return;
	}
	if (isDownloaded(entry) && latest.status === 'completed')
		task.file = await download(run, open, inline);
	task.state = 'done';
}
