import type { IExecuteFunctions, NodeError } from 'n8n-workflow';
import { idInLog, idText, isFinished, logText, shortText, systemClock } from '../../../gateway';
import type { VideoTask } from '../../../gateway';
import { isSubmittedHere } from '../../shared/book/book';
import { noteTaskIds } from '../../shared/book/customData';
import type { PaidTask } from '../../shared/book/schema';
import { runsAsTool } from '../../shared/run/runsAsTool';
import { isDebugging } from '../../shared/run/connect';
import { isStopped } from '../../shared/run/turns';
import { type TaskState, withFullStop } from '../../shared/run/errorText';
import { APART, COSTS_NOTHING, listOfIds, stoppedRunPaid, toGetWithoutPaying } from './advice';
import type { BookedRun } from './plan';
import { rememberStopped, stoppedBefore } from './stoppedRuns';

/** The execute data of n8n whose Stop is in the log. */
const loggedStops = new WeakSet<object>();

/** The console tells the progress of a task once in so many milliseconds, and of so many tasks. */
const PROGRESS_MS = 10_000;
const MAX_WITH_PROGRESS = 20;
/** When the console told the progress of a task. */
const progressToldAt = new WeakMap<PaidTask, number>();

// What n8n's log, the editor's console and errors say of the tasks in the book: n8n keeps nothing of a node that is stopped, or
// whose process dies.

/** To n8n's log, if a level is given, and in a manual run to the console of the browser. */
function tell({ context, book: { execution } }: BookedRun, text: string, level?: 'info' | 'warn') {
	const { name = '' } = context.getNode();
	const line = `Node "${logText(name)}"${execution ? `, execution ${execution}` : ''}: ${text}`;
	if (level) context.logger?.[level]?.(line);
	try {
		const { sendMessageToUI } = context as Partial<IExecuteFunctions>;
		sendMessageToUI?.call(context, line);
	} catch {
		// The text is in the log, and the videos are paid for.
	}
}

/** Whether only the message of an error is read: an agent, and the parent of a sub-workflow, get nothing else. */
function isAlone({ context }: BookedRun): boolean {
	return runsAsTool(context.getNode()) || context.getMode?.() === 'integrated';
}

/** Whether n8n offers to retry the execution if an item fails: Retry of a parent runs its sub-workflow from the beginning. */
export function offersRetry(run: BookedRun): boolean {
	return !run.context.continueOnFail() && !isAlone(run);
}

/** Every task id is in the log, and in the execution's custom data, as soon as it is known. */
export function tellOfSubmitted(run: BookedRun, item: number, tasks: PaidTask[], asked: number) {
	const ids = tasks.map(({ latest }) => latest.id);
	noteTaskIds(run.context, ids.map(idText));
	const { length: count } = ids;
	const shown = ids.map(idInLog);
	const one = `submitted video task ${shown.join()} [item ${item}]`;
	const many = `submitted ${count} video tasks [item ${item}]. ${listOfIds(shown)}`;
	tell(run, count === 1 ? one : many, 'info');
	if (count < asked)
		tell(run, `the service created ${count} of ${asked} videos [item ${item}]`, 'warn');
}

/**
 * A poll found a task: the log says once if the answer names another one, and the console how far it is, since n8n's editor
 * shows a spinner while a node runs.
 */
export function tellOfPoll(run: BookedRun, item: number, task: PaidTask, found: VideoTask) {
	const { id, sent_as, status, progress } = found;
	const { latest } = task;
	const isFurther = progress !== undefined && progress !== (latest.progress ?? 0);
	const now = systemClock.now();
	const isDue = now - (progressToldAt.get(task) ?? -Infinity) >= PROGRESS_MS;
	if (isFurther && isDue && hasFew(run.book)) {
		progressToldAt.set(task, now);
		tell(run, `video task ${idInLog(id)}: ${shortText(status)}, ${progress} % [item ${item}]`);
	}
	if (sent_as?.id === undefined || sent_as.id === latest.sent_as?.id) return;
	const what = `polls of video task ${idInLog(id)} are answered with the ID ${idInLog(sent_as.id)}`;
	tell(run, `${what}: check whether it is the right video [item ${item}]`, 'warn');
}

/** Of many items, the tasks are not listed: with five hundred, that took a tenth of the processor time (measured). */
function hasFew(book: BookedRun['book']): boolean {
	const isMany = book.current.size > MAX_WITH_PROGRESS;
	return !isMany && Math.max(book.entries.length, book.tasks.length) <= MAX_WITH_PROGRESS;
}

/** The response to a submission was lost. */
export function tellOfLost(run: BookedRun, item: number, wasStopped: boolean): void {
	const how = wasStopped ? 'stopped during a submission' : 'the response to a submission was lost';
	const what = `${how}, which the service may have accepted`;
	tell(run, `${what}: check your account before you run it again [item ${item}]`, 'warn');
}

/** What the node throws names every task of the run, by whichever try it was submitted, and what Retry submits again. */
export function addTasks(run: BookedRun, error: NodeError): void {
	const { context, book, durable } = run;
	const wasStopped = isStopped(context);
	const list = listOfTasks(run, false);
	const logged = listOfTasks(run, true);
	// Retry On Fail calls the node again after a Stop, too. All calls of an agent's tools have the execute data of their agent.
	const stopOf = (!runsAsTool(context.getNode()) && context.getExecuteData?.()) || book;
	if (wasStopped && logged !== '' && !loggedStops.has(stopOf)) {
		loggedStops.add(stopOf);
		tell(run, `stopped. ${logged}`, 'warn');
		const paid = book.tasks.filter(isPaid).map(({ latest }) => latest.id);
		rememberStopped(context, paid);
	}
	const { lostItems } = book;
	const isTold = durable.isLastTry && !wasStopped && offersRetry(run) && lostItems.length > 0;
	// The user sees this error. A Retry submits nothing again of which no error told.
	if (isTold) book.tellOfLost();
	// One item is named in the description: the message names it already.
	const isOne = lostItems.length === 1;
	const again = isOne ? `item ${lostItems.join()}` : `${lostItems.length} items`;
	const retry = isTold && `Retry submits ${again} again.`;
	const described = [
		error.description,
		isOne && retry,
		// n8n drops the hints of a run that fails.
		...(wasStopped ? [] : [aboutStopped(run), ...aboutBatch(run)]),
		list,
	];
	error.description = described.filter(Boolean).join('\n');
	// n8n shows at most one line of a stopped run. It logs the message.
	const inMessage = [!isOne && retry, (wasStopped || isAlone(run)) && logged].filter(Boolean);
	if (inMessage.length > 0) error.message = [withFullStop(error.message), ...inMessage].join(' ');
}

/** The lines of an error where tasks are paid besides those that fail, which have advice of their own. */
function aboutBatch({ book, context }: BookedRun): string[] {
	const paid = book.tasks.filter(isPaid);
	if (paid.every(({ error }) => error !== undefined)) return [];
	const count = paid.length;
	const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
	const how = toGetWithoutPaying({ operation: 'Wait', count, after: APART });
	const handOn =
		'To hand on what succeeds, set On Error of this node to Continue (using error output).';
	return [
		`${count} of these videos ${are} paid. ${how}.`,
		`Executing this node again pays for ${them} again.`,
		context.getInputData().length > 1 ? handOn : '',
	];
}

/** For a Get or Wait that fails in a manual run: the videos that stopped runs of its workflow paid for. */
export function aboutStopped({ context, submits }: BookedRun): string {
	const ids = submits ? [] : stoppedBefore(context);
	if (ids.length === 0) return '';
	const [them, these] = ids.length === 1 ? ['it', 'this ID'] : ['them', 'these IDs'];
	return `${stoppedRunPaid(ids.length)}. To get ${them} without paying again, enter ${these} as Task ID. ${listOfIds(ids.map(idText))}`;
}

/**
 * Every task of the run with its item, a line for each in an error.
 * @param isForLog a log gets no URL, with which anyone has the video. At debug level n8n logs descriptions, too: their URLs
 * have no query, which may be signed.
 */
function listOfTasks({ context, book }: BookedRun, isForLog: boolean): string {
	const idOf = isForLog || isDebugging(context) ? idInLog : idText;
	const { entries, lostItems } = book;
	const tasks = entries.flatMap((entry) => entry.tasks.map((task) => ({ ...entry, task })));
	const all = [...new Map(tasks.map((each) => [each.task.latest.id, each])).values()];
	const lines = all.map(({ item, task }) => {
		const url = isForLog ? null : urlOf(task.latest);
		const status = shortText(statusInLists(task));
		return `[item ${item}] ${idOf(task.latest.id)}: ${status}${url ? `, ${idOf(url)}` : ''}`;
	});
	const areMade = all.some(
		({ task: { state, latest } }) => state !== 'unknown' && !isFinished(latest),
	);
	// One task of those that nobody gets would fail the node that is given its ID.
	const ids = all.flatMap(({ task }) => (isThere(task) ? idOf(task.latest.id) : []));
	const how = all.some(({ task }) => isSubmittedHere(task))
		? toGetWithoutPaying({ operation: 'Wait', count: ids.length, after: APART })
		: COSTS_NOTHING;
	const lists = [
		all.length > 0 && `Tasks of this run: ${lines.join(isForLog ? ' ' : '\n')}`,
		isStopped(context) && areMade && `They are still being made, and billed. ${how}`,
		lostItems.length > 0 &&
			`Submissions that the service may have accepted: item ${lostItems.join(', ')}`,
		ids.length > 0 && (entries.length > 1 || all.length > 1) && listOfIds(ids),
	];
	return lists.filter(Boolean).join(isForLog ? '. ' : '\n');
}

/** Whether a video is there, or is being made. */
function isThere({ latest, state }: PaidTask): boolean {
	return latest.status !== 'failed' && state !== 'unknown';
}

/** Whether this execution paid for such a video. */
function isPaid(task: PaidTask): boolean {
	return isSubmittedHere(task) && isThere(task);
}

/** What lists and errors call the state of a task. */
function statusInLists({ latest, state }: PaidTask): string {
	return state === 'unknown' ? 'not found' : latest.status;
}

/** A URL that leads to the video from anywhere. Inline data is none. */
export function urlOf({ url }: Pick<VideoTask, 'url'>): string | null {
	return url && /^https?:\/\/\S+$/i.test(url) ? url : null;
}

/** What an error item tells of its task. The owner of a bucket can fetch a video from there (`gs://`). */
export function stateOf(task: PaidTask): TaskState {
	const { id, url } = task.latest;
	const isAddress = /^[a-z][a-z\d+.-]*:\/\/\S+$/i.test(url ?? '');
	return { task_id: id, status: statusInLists(task), url: isAddress && url ? url : null };
}
