import { shownError, shownWords } from '../errors/errorBody';
import type { ApiKey } from '../redaction';
import { isEmpty } from '../schemas/responseJson';
import { type TaskPlace, usedOf, type VideoTask } from '../schemas/video';
import type { TaskAnswer } from './inlineVideo';

/** The task that was asked for, without the key. */
export function polledTask(taskId: string, { shown, sent }: TaskAnswer, apiKey: ApiKey): VideoTask {
	const { error, failure, sent_as } = shown;
	// The service may name a task otherwise in its polls. What is paid for is not lost for a name.
	const isOther = Boolean(sent.id) && sent.id !== taskId;
	const isFailure = shown.status === 'failed' || failure !== undefined;
	return {
		...shown,
		...placeOf(taskId, shown, sent, apiKey),
		error: isFailure && !isEmpty(error) ? shownError(error, apiKey) : error,
		failure: failure && shownWords(failure, apiKey),
		sent_as: isOther ? { ...sent_as, id: shown.id ?? '' } : sent_as,
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
