import type { NodeCode } from '../errors/codes';
import { formatSeconds } from '../errors/formatDuration';
import { GatewayError } from '../errors/gatewayError';
import { logText, shortText } from '../errors/logText';
import { isEmpty, MAX_MESSAGE, wordsOf } from '../http/errorBody';
import type { VideoTask } from '../schemas/video';

/** The service ended a video task with status `failed`. */
export class TaskFailedError extends GatewayError {
	override readonly name = 'TaskFailedError';
	constructor(
		readonly task: VideoTask,
		serviceMessage: string | undefined,
		code: string | undefined,
	) {
		super(`The service could not generate the video of task ${logText(task.id)}`, {
			code: code ?? ('task_failed' satisfies NodeCode),
			advice: 'Change the prompt or the settings, or submit the video again.',
			serviceMessage,
		});
	}
}

/** Max Wait is over, and the last poll showed that the task is still running, or got no answer. */
export class WaitTimeoutError extends GatewayError {
	override readonly name = 'WaitTimeoutError';
	constructor(
		readonly task: VideoTask,
		waitedMs: number,
		readonly lastFailure?: GatewayError,
	) {
		const wait = formatSeconds(waitedMs);
		const id = logText(task.id);
		const [message, advice] =
			lastFailure === undefined
				? [
						`Video task ${id} was not finished after ${wait}`,
						'The task is still running. Use Wait or Get with this task ID, or increase Max Wait.',
					]
				: [
						`The service could not be asked after ${wait} whether video task ${id} is finished`,
						`The last poll failed: ${lastFailure.message}. The video may be finished: use Wait or Get with this task ID.`,
					];
		super(message, {
			code: 'wait_timeout' satisfies NodeCode,
			advice,
			serviceMessage: lastFailure?.serviceMessage,
			technical: lastFailure?.technical,
		});
	}
}

/** The error of a task with status `failed`, whose `error` may have any shape: what there is to read is used. */
export function taskFailedError(task: VideoTask): TaskFailedError {
	if (isEmpty(task.error)) return new TaskFailedError(task, undefined, undefined);
	const { message, code } = wordsOf(task.error);
	return new TaskFailedError(task, message.slice(0, MAX_MESSAGE), code && shortText(code));
}
