import type { IExecuteFunctions } from 'n8n-workflow';
import {
	BOUNDS,
	isFinished,
	idInLog,
	idText,
	logText,
	msBetween,
	shortText,
	systemClock,
	type VideoTask,
	type WallTime,
} from '../../gateway';
import { noteInExecution, type PaidBook, withTaskIds } from '../shared/book/book';
import type { PaidTask } from '../shared/book/schema';
import { asHtml, hintAfterRun, runsAsTool } from '../shared/form/hints';
import { isDebugging } from '../shared/run/connect';
import { isStopped } from '../shared/run/eachItem';
import type { TaskState } from '../shared/run/errorText';

/** A line of progress for each of a thousand videos would hide the rest of the log. */
const PROGRESS_EVERY_MS = 5_000;
/** Percentages in such a line. */
const MAX_SHARES = 10;

/** In the execution's custom data. */
const TASK_IDS = 'video_task_ids';

/** Entries of n8n's stack whose Stop is in the log. */
const loggedStops = new WeakSet<object>();

/** By node, what stopped runs paid for, until its next manual run: n8n loses the output of a node that runs. */
const stoppedTasks = new Map<string, { ids: string[]; at: WallTime }>();
/** Tasks of one node, and nodes, that this process remembers. */
const MAX_REMEMBERED = 100;

/**
 * What n8n's log, the editor's console, hints and errors say of the tasks in the book: n8n keeps nothing of a node that is
 * stopped, or whose process dies.
 */
export class TaskLog {
	private readonly name: string;
	private readonly node: string;
	/** By their IDs: several items may name one video, and one is polled again for its file. */
	private readonly waitedFor = new Set<string>();
	private readonly finished = new Set<string>();
	/** Tasks whose polls were answered with another ID: new-api tells another in each. */
	private readonly answeredOtherwise = new Set<string>();
	/** Percentages that the service named, of videos that are not finished. */
	private readonly progress = new Map<string, number>();
	private logged = 0;
	private shownAt = -Infinity;

	/** @param isLastTry whether Retry On Fail does not run the node again */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly book: PaidBook,
		private readonly isLastTry: boolean,
	) {
		const { execution } = book;
		const { id, name = '' } = context.getNode();
		this.name = `Node "${logText(name)}"${execution ? `, execution ${execution}` : ''}`;
		this.node = `${context.getWorkflow?.()?.id ?? ''} ${id}`;
	}

	get isStopped(): boolean {
		return isStopped(this.context);
	}

	/** Whether the message of an error is all that is read: an agent, and the parent of a sub-workflow, get nothing else. */
	get isAlone(): boolean {
		return runsAsTool(this.context.getNode()) || this.context.getMode?.() === 'integrated';
	}

	/** Whether n8n offers to retry the execution if an item fails: that of a sub-workflow's parent begins it again. */
	get offersRetry(): boolean {
		return !this.context.continueOnFail() && !this.isAlone;
	}

	/** The newest task IDs of an execution of which n8n kept nothing else. */
	get noted(): string {
		return (this.context as Partial<IExecuteFunctions>).customData?.get(TASK_IDS) ?? '';
	}

	/** Every task id is in the log, and in the execution's custom data, as soon as it is known. */
	submitted(item: number, tasks: PaidTask[], asked: number): void {
		const ids = tasks.map(({ entry }) => entry.id);
		noteInExecution(this.context, TASK_IDS, (list) => withTaskIds(list, ids.map(idText)));
		const what = `video task${ids.length === 1 ? '' : 's'} ${ids.map(idInLog).join(', ')}`;
		this.write('info', `submitted ${what} [item ${item}]`);
		if (ids.length < asked)
			this.write('warn', `the service created ${ids.length} of ${asked} videos [item ${item}]`);
	}

	/** The response to a submission was lost. */
	lost(item: number, wasStopped: boolean): void {
		const how = wasStopped
			? 'stopped during a submission'
			: 'the response to a submission was lost';
		const what = `${how}, which the service may have accepted`;
		this.write('warn', `${what}: check your account before you run it again [item ${item}]`);
	}

	/** Stop was pressed: the tasks are still running. Retry On Fail calls the node again all the same. */
	stopped(): void {
		const { context, book, node } = this;
		const list = this.list(false);
		// All calls of an agent's tools have the entry of their agent.
		const run = (!runsAsTool(context.getNode()) && context.getExecuteData?.()) || this;
		if (!list || loggedStops.has(run)) return;
		loggedStops.add(run);
		this.write('warn', `stopped. ${list}`);
		const paid = book.entries
			.flatMap(({ tasks }) => tasks)
			.filter(({ entry, submittedAt }) => submittedAt !== undefined && entry.status !== 'failed');
		const ids = [...(stoppedTasks.get(node)?.ids ?? []), ...paid.map(({ entry }) => entry.id)];
		if (ids.length === 0) return;
		stoppedTasks.delete(node);
		const newest = [...new Set(ids)].slice(-MAX_REMEMBERED);
		stoppedTasks.set(node, { ids: newest, at: systemClock.wallTime() });
		for (const old of [...stoppedTasks.keys()].slice(0, -MAX_REMEMBERED)) stoppedTasks.delete(old);
	}

	/** Hints once at the videos of earlier runs of this node that were stopped, while the service keeps them. */
	hintAboutStopped(): void {
		const { context, node } = this;
		if (context.getMode?.() !== 'manual') return;
		const { ids, at } = stoppedTasks.get(node) ?? {};
		stoppedTasks.delete(node);
		if (!ids || !at || msBetween(at, systemClock.wallTime()) >= 1000 * BOUNDS.maxWait[1]) return;
		const paid = asHtml(ids.map(idText).join(', '));
		const advice = `To get them without paying again, ${anotherNode('Wait', 'each task ID')}.`;
		hintAfterRun(context, `Videos of the run that was stopped are paid: ${paid}. ${advice}`);
	}

	/**
	 * Every task of the run, numbered in one line: the editor collapses line breaks.
	 * @param withUrls not for a log, which is one line: whoever has such a URL has the video. At debug level n8n also logs what
	 * is not for a log: there a URL has no query, which may be signed.
	 */
	list(withUrls: boolean): string {
		const tasks = this.book.entries.flatMap((entry) => entry.tasks);
		const all = [...new Map(tasks.map((task) => [task.entry.id, task])).values()];
		const idOf = ({ entry }: PaidTask) => (withUrls ? idText(entry.id) : idInLog(entry.id));
		const urlIn = (task: PaidTask) => {
			const url = withUrls ? urlOf(task.entry) : null;
			return url && `, ${isDebugging(this.context) ? idInLog(url) : url}`;
		};
		const line = (task: PaidTask, index: number) =>
			`(${index + 1}) ${idOf(task)}: ${shortText(statusOf(task))}${urlIn(task) ?? ''}`;
		const known = all.filter(({ state }) => state !== 'unknown');
		const unknown = all.filter(({ state }) => state === 'unknown').map(idOf);
		const goOn = this.isStopped && known.some(({ entry }) => !isFinished(entry));
		const { lostItems } = this;
		return [
			known.length > 0 && `Tasks of this run: ${known.map(line).join(' ')}`,
			unknown.length > 0 && `Not found: ${unknown.join(', ')}`,
			goOn &&
				`They are still being made, and billed. To get them, ${anotherNode('Wait', 'these task IDs')}`,
			lostItems.length > 0 &&
				`Submissions that the service may have accepted: item ${lostItems.join(', ')}`,
		]
			.filter(Boolean)
			.join(withUrls ? '\n' : '. ');
	}

	/**
	 * What n8n's Retry submits again. To be called for an error that the user sees, which tells it: nothing lost is submitted
	 * again otherwise. It stands in the message where it is several items, whose number is not that of the error.
	 */
	tellOfLost(): { again: string; isInMessage: boolean } {
		const items = this.lostItems;
		const isInMessage = items.length > 1;
		if (!this.isLastTry || this.isStopped || !this.offersRetry || items.length === 0)
			return { again: '', isInMessage: false };
		this.book.tellOfLost();
		const what = isInMessage ? `${items.length} items` : `item ${items[0]}`;
		return { again: `Retry submits ${what} again.`, isInMessage };
	}

	/** Items of which the service may have accepted a submission. */
	get lostItems(): number[] {
		return [...new Set(this.book.lost.map(({ item }) => item))];
	}

	beginWait({ entry }: PaidTask): void {
		this.waitedFor.add(entry.id);
	}

	/** A poll was answered: n8n shows no progress of a node that runs. Its log gets a line only if more are finished. */
	polled(task: VideoTask): void {
		const { waitedFor, finished, answeredOtherwise, progress } = this;
		const { id, sent_as } = task;
		if (sent_as?.id !== undefined && !answeredOtherwise.has(id)) {
			answeredOtherwise.add(id);
			const [asked, told] = [idText(id), idText(sent_as.id)];
			this.write('warn', `a poll of video task ${asked} was answered with the ID ${told}`);
		}
		// The last line after a Stop names the tasks.
		if (this.isStopped || finished.has(task.id)) return;
		if (isFinished(task)) finished.add(task.id);
		if (isFinished(task) || typeof task.progress !== 'number') progress.delete(id);
		else progress.set(id, task.progress);
		const now = systemClock.now();
		const isLast = finished.size >= waitedFor.size;
		if (waitedFor.size === 0 || (!isLast && now - this.shownAt < PROGRESS_EVERY_MS)) return;
		this.shownAt = now;
		const shares = [...progress.values()]
			.slice(0, MAX_SHARES)
			.map((share) => `${Math.floor(share)}%`);
		const text = `${finished.size} of ${waitedFor.size} videos finished${shares.length > 0 ? ` (${shares.join(', ')})` : ''}`;
		this.write(finished.size === this.logged ? undefined : 'info', text);
		this.logged = finished.size;
	}

	/** To n8n's log, if it has a level, and in a manual run to the console of the browser. */
	private write(level: 'info' | 'warn' | undefined, text: string): void {
		const { context, name } = this;
		if (level) context.logger?.[level]?.(`${name}: ${text}`);
		try {
			(context as Partial<IExecuteFunctions>).sendMessageToUI?.(`${name}: ${text}`);
		} catch {
			// It is in the log, and the videos are paid for.
		}
	}
}

/** What lists and errors call the state of a task. */
function statusOf({ entry, state }: PaidTask): string {
	return state === 'unknown' ? 'not found' : entry.status;
}

/** A URL that leads to the video from anywhere. Inline data is none. */
export function urlOf({ url }: Pick<PaidTask['entry'], 'url'>): string | null {
	return url && /^https?:\/\/\S+$/i.test(url) ? url : null;
}

/** What an error item tells of its task. */
export function stateOf(task: PaidTask): TaskState {
	return { task_id: task.entry.id, status: statusOf(task), url: urlOf(task.entry) };
}

/** How to get a video without paying again. Another operation of the same node would lose its fields. */
export function anotherNode(operation: 'Wait' | 'Get', ids = 'this task ID'): string {
	const download = operation === 'Get' ? ', Download on' : '';
	return `add a second Video Generation node with the operation ${operation}${download} and ${ids}`;
}
