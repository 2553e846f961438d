import { idText, logText, shortText } from '../lineText';
import { isEmpty } from '../schemas/responseJson';
import { mayBeFailed, statusMeaning, type VideoTask } from '../schemas/video';
import { MAX_WORDS, wordsOf } from './errorBody';
import { GatewayError, isNotFound, ServiceError, withRecord } from './gatewayError';
import type { NodeCode } from './nodeCodes';

/** The service ended a video task with status `failed`. */
export function taskFailed({ id, error, failure, said_status }: VideoTask): GatewayError {
	const words = wordsUnlessEmpty(error);
	const [message, advice] = said_status
		? // What others call expired may be a result that was deleted: it is not submitted again by itself.
			[
				`The service ended video task ${idText(id)} with the status "${logText(said_status.word)}"`,
				'Retry On Fail and Retry poll this task once more, and submit nothing. Run the workflow again to submit another video.',
			]
		: [
				`The service could not generate the video of task ${idText(id)}`,
				'Change the prompt or the settings, or submit the video again.',
			];
	const code = words?.code ?? words?.type ?? failure?.code ?? ('task_failed' satisfies NodeCode);
	return new GatewayError({
		...{ message, advice, code: shortText(code), isApiError: true },
		words: failure?.words || words?.message.slice(0, MAX_WORDS),
		reason: failure?.reason ?? words?.reason,
	});
}

/**
 * Max Wait is over, and the last poll showed that the task is still running, or got no answer.
 * @param task what the last poll that was answered told
 */
export function waitTimeout(task: VideoTask | undefined, lastFailure?: GatewayError): GatewayError {
	const { message = '', words, technical } = lastFailure?.record ?? {};
	const [what, advice] = lastFailure
		? [
				lastFailure.isAnswer
					? 'The last answer about the video was not understood when Max Wait was over'
					: 'The service could not be asked when Max Wait was over whether the video is finished',
				`The last poll failed: ${message}. ${MAY_BE_FINISHED}`,
			]
		: ['The video was not finished when Max Wait was over', lastStatus(task)];
	return new GatewayError({
		...{ message: what, advice, code: 'wait_timeout' satisfies NodeCode, technical },
		words: words ?? wordsUnlessEmpty(task?.error)?.message,
	});
}

const wordsUnlessEmpty = (error: unknown) => (isEmpty(error) ? undefined : wordsOf(error));

function lastStatus(task: VideoTask = { id: '', status: 'processing' }): string {
	const meaning = statusMeaning(task);
	const { status } = task;
	if (meaning !== undefined && meaning !== 'completed' && !mayBeFailed(task))
		return 'The task is still running.';
	const why = meaning === 'completed' ? 'but it had no URL' : 'which this node does not know';
	return `Its last status was "${logText(status)}", ${why}.`;
}

const MAY_BE_FINISHED = 'The video may be finished.';

/**
 * JSON in which no task is found. The video may be finished, and the answer may show where it is.
 * @param error why it was not read, or what it says instead
 * @param isAbout whether the answer has the ID that was asked for, so that the service itself sent it; undefined if it has too much
 * to be read
 */
export function unreadableTask(error: GatewayError, isAbout: boolean | undefined): GatewayError {
	const { record } = error;
	const unseen = 'It has the ID of the task, and no status that this node finds.';
	const advice = `${isAbout ? unseen : record.advice} ${MAY_BE_FINISHED}`;
	if (error instanceof ServiceError) return withRecord(error, { advice });
	const isRead = isAbout !== undefined;
	const message = isRead ? 'The answer about the video task was not understood' : record.message;
	const code: NodeCode = 'malformed_answer';
	return new GatewayError({ ...record, message, advice, code, isAnswer: true });
}

/** What is known of a task that is waited for. */
interface KnownTask {
	submitted?: VideoTask | undefined;
	submittedAt?: unknown;
}

/**
 * The failure that ends the wait for a task. Of one that was submitted here, or that a poll has shown, the Base URL is right, and the
 * video may be paid for.
 */
export function aboutKnown(
	failure: GatewayError,
	{ submitted, submittedAt }: KnownTask,
): GatewayError {
	const isOurs = submittedAt !== undefined;
	if (!isOurs && submitted === undefined) return failure;
	const accepted = isOurs && isNotFound(failure) && { may_have_been_accepted: true };
	if (saysWhatToDo(failure)) return accepted ? withRecord(failure, accepted) : failure;
	const before = submitted
		? 'The service knew this task before.'
		: 'The service gave this ID for the submission.';
	const record = { ...failure.record, ...accepted, advice: `${before} ${MAY_BE_FINISHED}` };
	// The status of a poll is not that of a request with parameters.
	if (failure instanceof ServiceError && !failure.told.hasInterfaceCode)
		record.message = 'The service has said nothing else of the video task for a minute';
	return withRecord(failure, record);
}

/** Whether an error has a code of the document, or is about the connection, and its advice is about what to do there. */
function saysWhatToDo(failure: GatewayError): boolean {
	if (!(failure instanceof ServiceError))
		return !failure.isAnswer && !failure.record.advice.includes('Base URL');
	return failure.told.hasInterfaceCode && failure.code !== 'task_not_found';
}
