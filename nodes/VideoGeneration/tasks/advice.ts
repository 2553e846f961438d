import { idText, isInvalidInput, statusMeaning } from '../../../gateway';
import { isSubmittedHere } from '../../shared/book/book';
import { recordOf } from '../../shared/run/errorText';
import type { PaidTask } from '../../shared/book/schema';

/** Where the videos are that are paid for, and what gets them. */
interface PaidVideos {
	operation: 'Wait' | 'Get, Download on';
	count?: number;
	/** Where the second node is. */
	after?: string;
	/** What the second node has as its Task ID. */
	taskId?: string;
	/** Another way, where n8n offers it, up to the word before "add". */
	orElse?: string;
}

/** Where this node has no output: to execute a node behind it, n8n would execute this one again. */
export const APART = ', not connected to this one,';

/** How to get videos that are paid for, without a full stop. Another operation of the same node would lose its fields. */
export function toGetWithoutPaying({
	operation,
	count = 1,
	after = '',
	taskId = count === 1 ? 'this task ID' : 'these task IDs',
	orElse = '',
}: PaidVideos): string {
	const them = count === 1 ? 'it' : 'them';
	return `To get ${them} without paying again, ${orElse}add a second Video Generation node${after} with the operation ${operation} and ${taskId}`;
}

/** The end of a text about tasks, as the field Task ID takes it. No full stop follows. */
export function listOfIds(ids: string[]): string {
	return `${ids.length === 1 ? 'ID' : 'IDs'}: ${ids.join(', ')}`;
}

/** What a Stop leaves behind. */
export function stoppedRunPaid(count: number): string {
	const videos = count === 1 ? '1 video' : `${count} videos`;
	return `A run of this workflow that was stopped paid for ${videos}`;
}

/** n8n's Retry, with its place: users look for it in the editor. */
export const RETRY = 'Retry (Executions tab, the arrow of this execution)';

/** Of a task that this run did not submit. */
export const COSTS_NOTHING = 'Executing this node again costs nothing';

const PAYS_AGAIN = 'Executing this node again pays for another video.';

const NOTHING_AGAIN = 'Nothing was submitted again, and the video may be paid for.';

/** What to do about a task that may be paid for: the gateway knows neither nodes nor n8n's Retry. */
export function adviceAbout(
	task: PaidTask,
	error: unknown,
	offersRetry: boolean,
): string | undefined {
	const { id, url } = task.latest;
	const isOurs = isSubmittedHere(task);
	// A second poll of an ID that no URL can contain is refused, too.
	if (isInvalidInput(error) || (task.state === 'unknown' && !isOurs)) return undefined;
	// The URL leads to no video, and the next download would bring the same.
	const { code, http_status } = recordOf(error);
	if (url && code === 'download_refused' && http_status === undefined)
		return isOurs ? PAYS_AGAIN : undefined;
	if (!isOurs) return `${COSTS_NOTHING}.`;
	const isDone = statusMeaning(task.latest) === 'completed';
	const operation = isDone ? 'Get, Download on' : 'Wait';
	const taskId = `the task ID ${idText(id)}`;
	const ofThrown = offersRetry ? { orElse: `use ${RETRY}, or `, after: APART } : {};
	const toGet = `${toGetWithoutPaying({ operation, taskId, ...ofThrown })}. ${PAYS_AGAIN}`;
	return task.state === 'unknown' ? `${NOTHING_AGAIN} ${toGet}` : toGet;
}
