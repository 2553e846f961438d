import { shownError, shownWords } from '../errors/errorBody';
import type { ApiKey } from '../redaction';
import { isEmpty } from '../schemas/responseJson';
import { usedOf, type VideoTask } from '../schemas/video';
import type { TaskAnswer } from './inlineVideo';

/** What an answer says of a task, with the key and without it. */
type Told = Pick<TaskAnswer, 'shown' | 'sent'>;

/** The task that was asked for, without the key, and with what is used in place of its ID and URLs. */
export function polledTask(taskId: string, { shown, sent }: Told, apiKey: ApiKey): VideoTask {
	const { error, failure, sent_as } = shown;
	const task = { ...shown, id: apiKey.redactResponse(taskId) };
	// The service may name a task otherwise in its polls. What is paid for is not lost for a name.
	const isOther = Boolean(sent.id) && sent.id !== taskId;
	const isFailure = shown.status === 'failed' || failure !== undefined;
	return {
		...task,
		used: usedOf(task, { ...sent, id: taskId }),
		error: isFailure && !isEmpty(error) ? shownError(error, apiKey) : error,
		failure: failure && shownWords(failure, apiKey),
		sent_as: isOther ? { ...sent_as, id: shown.id ?? '' } : sent_as,
	};
}

/** A task of which only the ID is known. */
export function knownTask(taskId: string, apiKey: ApiKey): VideoTask {
	const nothing = { status: 'unknown' };
	return polledTask(taskId, { shown: nothing, sent: nothing }, apiKey);
}
