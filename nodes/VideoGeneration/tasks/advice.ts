import { idText, isInvalidInput } from '../../../gateway';
import { isSubmittedHere } from '../../shared/book/book';
import { recordOf } from '../../shared/run/errorText';
import type { PaidTask } from '../../shared/book/schema';

/** How to get a video without paying again. Another operation of the same node would lose its fields. */
export function anotherNode(operation: 'Wait' | 'Get', ids = 'this task ID'): string {
	const download = operation === 'Get' ? ', Download on' : '';
	return `add a second Video Generation node with the operation ${operation}${download} and ${ids}`;
}

/** n8n's Retry, with its place: users look for it in the editor. */
export const RETRY = 'Retry (Executions tab, the arrow of this execution)';

/** Of a task that this run did not submit. */
export const COSTS_NOTHING = 'Executing this node again costs nothing';

const PAYS_AGAIN = 'Executing this node again pays for another video.';

/** What to do about a task that may be paid for: the gateway knows neither nodes nor n8n's Retry. */
export function adviceAbout(
	task: PaidTask,
	error: unknown,
	offersRetry: boolean,
): string | undefined {
	const { id, status, url } = task.latest;
	const isOurs = isSubmittedHere(task);
	if (task.state === 'unknown' && isOurs)
		return `Nothing was submitted again, and the video may be paid for. If the Base URL of the credential was changed, set it back${offersRetry ? ` and use ${RETRY}` : ''}. Otherwise run the workflow again: it submits another video.`;
	// A second poll of an ID that no URL can contain is refused, too.
	if (isInvalidInput(error) || task.state === 'unknown') return undefined;
	// The URL leads to no video, and the next download would bring the same.
	const { code, http_status } = recordOf(error);
	if (url && code === 'download_refused' && http_status === undefined)
		return isOurs ? PAYS_AGAIN : undefined;
	if (!isOurs) return `${COSTS_NOTHING}.`;
	const isDone = status === 'completed';
	const other = anotherNode(isDone ? 'Get' : 'Wait', `the task ID ${idText(id)}`);
	const how = offersRetry
		? `${RETRY} ${isDone ? 'downloads it' : 'waits for it again'} without paying. Or ${other}.`
		: `To get it without paying again, ${other}.`;
	return `${how} ${PAYS_AGAIN}`;
}
