import { type IExecuteFunctions, NodeError } from 'n8n-workflow';
import { idInLog, idText, isFinished, logText, shortText } from '../../../gateway';
import type { VideoTask } from '../../../gateway';
import { isSubmittedHere, type PaidBook } from '../../shared/book/book';
import { notedTaskIds, noteTaskIds } from '../../shared/book/customData';
import type { PaidTask } from '../../shared/book/schema';
import { hintAfterRun } from '../../shared/output/hints';
import { runsAsTool } from '../../shared/run/runsAsTool';
import { isDebugging } from '../../shared/run/connect';
import { isStopped } from '../../shared/run/cancel';
import { forEditor, type TaskState, withFullStop } from '../../shared/run/errorText';
import {
	adviceAboutBatch,
	APART,
	COSTS_NOTHING,
	listOfIds,
	stoppedRunPaid,
	toGetWithoutPaying,
} from './advice';
import { rememberStopped, stoppedBefore } from './stoppedRuns';

/** The execute data of n8n whose Stop is in the log. */
const loggedStops = new WeakSet<object>();

/** The console tells the progress of the videos of so many items. */
const MAX_WITH_PROGRESS = 20;

/**
 * What n8n's log, the editor's console and errors say of the tasks in the book: n8n keeps nothing of a node that is stopped,
 * or whose process dies.
 */
export class TaskLog {
	private readonly name: string;

	/** @param isLastTry whether Retry On Fail does not run the node again */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly book: PaidBook,
		private readonly isLastTry: boolean,
		private readonly submits: boolean,
	) {
		const { execution } = book;
		const { name = '' } = context.getNode();
		this.name = `Node "${logText(name)}"${execution ? `, execution ${execution}` : ''}`;
	}

	/** Whether only the message of an error is read: an agent, and the parent of a sub-workflow, get nothing else. */
	private get isAlone(): boolean {
		return runsAsTool(this.context.getNode()) || this.context.getMode?.() === 'integrated';
	}

	/** Whether n8n offers to retry the execution if an item fails: Retry of a parent runs its sub-workflow from the beginning. */
	get offersRetry(): boolean {
		return !this.context.continueOnFail() && !this.isAlone;
	}

	/** The newest task IDs of an execution of which n8n kept nothing else. */
	get noted(): string[] {
		return notedTaskIds(this.context);
	}

	/** Every task id is in the log, and in the execution's custom data, as soon as it is known. */
	submitted(item: number, tasks: PaidTask[], asked: number): void {
		const ids = tasks.map(({ latest }) => latest.id);
		noteTaskIds(this.context, ids.map(idText));
		const shown = ids.map(idInLog);
		const text =
			ids.length === 1
				? `submitted video task ${shown.join()} [item ${item}]`
				: `submitted ${ids.length} video tasks [item ${item}]. ${listOfIds(shown)}`;
		this.write('info', text);
		if (ids.length < asked)
			this.write('warn', `the service created ${ids.length} of ${asked} videos [item ${item}]`);
	}

	/**
	 * A poll found a task: the log says once if the answer names another one, and the console how far it is, since n8n's editor
	 * shows a spinner while a node runs.
	 */
	polled(item: number, { latest }: PaidTask, { id, sent_as, status, progress }: VideoTask): void {
		const isFurther = progress !== undefined && progress !== (latest.progress ?? 0);
		if (isFurther && this.book.entries.length <= MAX_WITH_PROGRESS)
			this.tell(`video task ${idInLog(id)}: ${shortText(status)}, ${progress} % [item ${item}]`);
		if (sent_as?.id === undefined || sent_as.id === latest.sent_as?.id) return;
		const what = `polls of video task ${idInLog(id)} are answered with the ID ${idInLog(sent_as.id)}`;
		this.write('warn', `${what}: check whether it is the right video [item ${item}]`);
	}

	/** The response to a submission was lost. */
	lost(item: number, wasStopped: boolean): void {
		const how = wasStopped
			? 'stopped during a submission'
			: 'the response to a submission was lost';
		const what = `${how}, which the service may have accepted`;
		this.write('warn', `${what}: check your account before you run it again [item ${item}]`);
	}

	/** What the node throws names every task of the run, by whichever try it was submitted, and what Retry submits again. */
	withTasks(error: unknown): unknown {
		const wasStopped = isStopped(this.context);
		if (wasStopped) this.stopped();
		if (!(error instanceof NodeError)) return error;
		const { lostItems } = this.book;
		const isTold = this.isLastTry && !wasStopped && this.offersRetry && lostItems.length > 0;
		// The user sees this error. A Retry submits nothing again of which no error told.
		if (isTold) this.book.tellOfLost();
		const list = this.list(false);
		// One item is named in the description: the message names it already.
		const isOne = lostItems.length === 1;
		const again = isOne ? `item ${lostItems.join()}` : `${lostItems.length} items`;
		const retry = isTold && `Retry submits ${again} again.`;
		error.description = [
			error.description,
			isOne && retry,
			// n8n drops the hints of a run that fails.
			...(wasStopped ? [] : [this.aboutStopped, ...this.aboutBatch]),
			list,
		]
			.filter(Boolean)
			.join('\n');
		// n8n shows at most one line of a stopped run. It logs the message.
		const inMessage = list && (wasStopped || this.isAlone) && this.list(true);
		const told = [!isOne && retry, inMessage].filter(Boolean);
		if (told.length > 0) error.message = [withFullStop(error.message), ...told].join(' ');
		return forEditor(this.context, error);
	}

	/** Where tasks are paid besides those that fail, which have advice of their own. */
	private get aboutBatch(): string[] {
		const paid = this.book.tasks.filter(isPaid);
		const areAllFailed = paid.every(({ error }) => error !== undefined);
		return areAllFailed ? [] : adviceAboutBatch(paid.length, this.context.getInputData().length);
	}

	/** Stop was pressed: the tasks are still running. Retry On Fail calls the node again all the same. */
	private stopped(): void {
		const { context, book } = this;
		const list = this.list(true);
		// All calls of an agent's tools have the execute data of their agent.
		const run = (!runsAsTool(context.getNode()) && context.getExecuteData?.()) || this;
		if (!list || loggedStops.has(run)) return;
		loggedStops.add(run);
		this.write('warn', `stopped. ${list}`);
		const paid = book.tasks.filter(isPaid).map(({ latest }) => latest.id);
		rememberStopped(context, paid);
	}

	/** Hints at the videos of stopped runs where Get or Wait did not find a task. */
	hintAboutStopped(): void {
		if (this.aboutStopped) hintAfterRun(this.context, this.aboutStopped);
	}

	/** For a Get or Wait that fails in a manual run: the videos that stopped runs of its workflow paid for. */
	private get aboutStopped(): string {
		const ids = this.submits ? [] : stoppedBefore(this.context);
		if (ids.length === 0) return '';
		const [them, these] = ids.length === 1 ? ['it', 'this ID'] : ['them', 'these IDs'];
		return `${stoppedRunPaid(ids.length)}. To get ${them} without paying again, enter ${these} as Task ID. ${listOfIds(ids.map(idText))}`;
	}

	/**
	 * Every task of the run with its item, in one line: the editor collapses line breaks.
	 * @param isForLog a log gets no URL, with which anyone has the video. At debug level n8n logs descriptions, too: their URLs
	 * have no query, which may be signed.
	 */
	private list(isForLog: boolean): string {
		const idOf = isForLog || isDebugging(this.context) ? idInLog : idText;
		const { entries, lostItems } = this.book;
		const byId = new Map(
			entries.flatMap(({ item, tasks }) =>
				tasks.map((task) => [task.latest.id, { item, task }] as const),
			),
		);
		const all = [...byId.values()];
		const lines = all.map(({ item, task }) => {
			const url = isForLog ? null : urlOf(task.latest);
			const status = shortText(statusInLists(task));
			return `[item ${item}] ${idOf(task.latest.id)}: ${status}${url ? `, ${idOf(url)}` : ''}`;
		});
		const areMade = all.some(
			({ task: { state, latest } }) => state !== 'unknown' && !isFinished(latest),
		);
		// One task of those that nobody gets would fail the node that is given its ID.
		const there = all.filter(({ task }) => isThere(task));
		const ids = there.map(({ task }) => idOf(task.latest.id));
		const how = all.some(({ task }) => isSubmittedHere(task))
			? toGetWithoutPaying({ operation: 'Wait', count: ids.length, after: APART })
			: COSTS_NOTHING;
		return [
			all.length > 0 && `Tasks of this run: ${lines.join(' ')}`,
			isStopped(this.context) && areMade && `They are still being made, and billed. ${how}`,
			lostItems.length > 0 &&
				`Submissions that the service may have accepted: item ${lostItems.join(', ')}`,
			ids.length > 0 && (entries.length > 1 || all.length > 1) && listOfIds(ids),
		]
			.filter(Boolean)
			.join(isForLog ? '. ' : '\n');
	}

	/** To n8n's log, and in a manual run to the console of the browser. */
	private write(level: 'info' | 'warn', text: string): void {
		this.context.logger?.[level]?.(`${this.name}: ${text}`);
		this.tell(text);
	}

	/** To the console of the browser, in a manual run. */
	private tell(text: string): void {
		try {
			const { sendMessageToUI } = this.context as Partial<IExecuteFunctions>;
			sendMessageToUI?.call(this.context, `${this.name}: ${text}`);
		} catch {
			// The text is in the log, and the videos are paid for.
		}
	}
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
