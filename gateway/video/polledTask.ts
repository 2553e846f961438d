import { shownError, shownFailure } from '../errors/errorBody';
import type { ApiKey } from '../redaction';
import { isEmpty } from '../schemas/responseJson';
import { isDone, isOtherWord, mayBeFailed, readStatus } from '../schemas/taskStatus';
import { type TaskPlace, usedOf, type VideoTask } from '../schemas/video';
import type { TaskAnswer } from './inlineVideo';

/** The task that was asked for, in the words of the interface, without the key. */
export function polledTask(
	taskId: string,
	{ shown: task, sent, video }: TaskAnswer,
	apiKey: ApiKey,
): VideoTask {
	const hasVideo = Boolean(task.url || video);
	// A service may call a task done that its rules have stopped.
	const isStopped = isDone(task.status) && !hasVideo && task.failure !== undefined;
	const status = isStopped ? 'failed' : readStatus(task.status, hasVideo);
	const isFailed = status === 'failed' || mayBeFailed({ status });
	const hasError = isFailed && !isEmpty(task.error);
	// The service may name a task otherwise in its polls. What is paid for is not lost for a name.
	const sent_as = {
		...(sent.id && sent.id !== taskId && { id: task.id ?? '' }),
		...(isOtherWord(task.status, status) && { status: task.status }),
	};
	return {
		...task,
		...placeOf(taskId, task, sent, apiKey),
		status,
		error: hasError ? shownError(task.error, apiKey) : task.error,
		failure: isFailed ? shownFailure(task.failure, apiKey) : undefined,
		sent_as: isEmpty(sent_as) ? undefined : sent_as,
	};
}

/** A task of which only the ID is known. */
export function knownTask(taskId: string, apiKey: ApiKey): VideoTask {
	return { ...placeOf(taskId, {}, {}, apiKey), status: 'unknown' };
}

type Urls = Omit<TaskPlace, 'id'>;

/** The ID as it is shown, with what is used in its place. */
function placeOf(taskId: string, shown: Urls, sent: Urls, apiKey: ApiKey) {
	const id = apiKey.redactResponse(taskId);
	return { id, used: usedOf({ ...shown, id }, { ...sent, id: taskId }) };
}
