import type { IExecuteFunctions } from 'n8n-workflow';
import { logText, shortText, systemClock } from '../../../gateway';
import type { TaskState } from '../../shared/run/errorText';
import { noteTaskIds } from './customData';
import type { PaidItem } from './record';

/** Characters. Signed URLs come near it, inline data goes far beyond. */
const MAX_URL = 2_048;

/** A line of progress for each of a thousand videos would hide the rest of the log. */
const PROGRESS_EVERY_MS = 5_000;

/**
 * All video tasks of one run of the node, for its error and for n8n's log: n8n keeps nothing of a node that is stopped, or
 * whose process dies.
 */
export class TaskLog {
	private readonly states = new Map<string, TaskState>();
	private readonly name: string;
	private waitedFor = 0;
	private finished = 0;
	private progressAt = -Infinity;
	private readonly lostItems = new Set<number>();

	/** @param paid by earlier tries of the run, and before a wait in n8n's database */
	constructor(
		private readonly context: IExecuteFunctions,
		paid: PaidItem[],
	) {
		for (const [itemIndex, { tasks, isLost }] of paid.entries()) {
			for (const { task_id, ...task } of tasks) this.note({ id: task_id, ...task });
			if (isLost) this.lostItems.add(itemIndex);
		}
		// The tools of an MCP Server Trigger run in no execution.
		const execution = context.getExecutionId() as string | undefined;
		this.name = `Node "${logText(context.getNode().name)}"${execution ? `, execution ${execution}` : ''}`;
	}

	/**
	 * Every task id is in the log, and in the execution's custom data, as soon as it is known.
	 * @param count how many tasks the response names
	 */
	submitted(taskIds: string[], itemIndex: number, count = taskIds.length): void {
		const shown = taskIds.map(logText);
		noteTaskIds(this.context, shown);
		const more = count > taskIds.length ? ` and ${count - taskIds.length} more` : '';
		const tasks = `video task${count === 1 ? '' : 's'} ${shown.join(', ')}${more}`;
		this.context.logger.info(`${this.name}: submitted ${tasks} [item ${itemIndex}]`);
	}

	/** A response names fewer tasks than were asked for. */
	missing(count: number, itemIndex: number): void {
		const videos = count === 1 ? '1 video is' : `${count} videos are`;
		this.context.logger.warn(
			`${this.name}: ${videos} missing: the service created fewer than were asked for [item ${itemIndex}]`,
		);
	}

	/** The response to a submission was lost. */
	lost(itemIndex: number): void {
		this.lostItems.add(itemIndex);
	}

	/** Stop was pressed while a submission was in flight. */
	mayBeSubmitted(itemIndex: number): void {
		this.context.logger.warn(
			`${this.name}: stopped during a submission, which the service may have accepted: check your account before you run it again [item ${itemIndex}]`,
		);
	}

	/** Stop was pressed: the tasks are still running. */
	stopped(): void {
		const list = this.list(false);
		if (list) this.context.logger.warn(`${this.name}: stopped. ${list}`);
	}

	/** A task that someone submitted elsewhere. */
	add(taskId: string): void {
		if (!this.states.has(taskId)) this.note({ id: taskId, status: 'processing' });
	}

	note<Task extends { id: string; status: string; url?: string | null | undefined }>(
		task: Task,
	): Task {
		this.states.set(task.id, { task_id: task.id, status: task.status, url: usableUrl(task.url) });
		return task;
	}

	/** What is known of a task. From here on it is one of the run, though no poll may ever see it. */
	stateOf(taskId: string): TaskState {
		const state = this.states.get(taskId) ?? { task_id: taskId, status: 'unknown' };
		this.states.set(taskId, state);
		return state;
	}

	/**
	 * Every task of the run, numbered in one line: the editor collapses line breaks.
	 * @param withUrls not for a log, which is one line: whoever has such a URL has the video
	 */
	list(withUrls: boolean): string {
		const lost = [...this.lostItems].join(', ');
		return [
			this.listTasks(withUrls),
			lost && `Submissions that the service may have accepted: item ${lost}`,
		]
			.filter(Boolean)
			.join(withUrls ? '\n' : '. ');
	}

	private listTasks(withUrls: boolean): string {
		const tasks = [...this.states.values()].map(
			({ task_id, status, url }, index) =>
				`(${index + 1}) ${logText(task_id)}: ${shortText(status)}${withUrls && url ? `, ${url}` : ''}`,
		);
		return tasks.length === 0 ? '' : `Tasks of this run: ${tasks.join(' ')}`;
	}

	beginWait(): void {
		this.waitedFor += 1;
	}

	/** n8n shows no progress of a node that runs. */
	endWait(): void {
		this.finished += 1;
		const now = systemClock.now();
		const isLast = this.finished === this.waitedFor;
		if (!isLast && now - this.progressAt < PROGRESS_EVERY_MS) return;
		this.progressAt = now;
		const progress = `${this.finished} of ${this.waitedFor} videos finished`;
		this.context.logger.info(`${this.name}: ${progress}`);
	}
}

/** A URL that leads to the video from anywhere. Inline data is not one. */
function usableUrl(url: string | null | undefined): string | null {
	return url && url.length <= MAX_URL && /^https?:\/\/\S+$/i.test(url) ? url : null;
}
