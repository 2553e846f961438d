import type { EngineRequest, INodeExecutionData } from 'n8n-workflow';
import {
	type BookEntry,
	CancelledError,
	formatSeconds,
	isFinished,
	later,
	msBetween,
	systemClock,
} from '../../gateway';
import { liveTasks } from '../shared/book/book';
import { hintAfterRun } from '../shared/form/hints';
import { outcomesOf, throwIfCancelled } from '../shared/run/eachItem';
import { afterEarlierTry, reportError, ReportedError, withFullStop } from '../shared/run/errorText';
import { endOfPause, MIN_WAIT_MS, type OpenTask } from './nextPoll';
import { type Operation, readOptions } from './operations';
import type { Planned, VideoRun } from './videoTasks';
import { waitsInDatabase } from './waitOptions';

export const LOST_STATE = 'n8n lost the state of this wait';

/**
 * Does an operation for all items and makes items of their tasks: while an entry of the book is open, takes what is due,
 * pauses until then, polls and settles. A pause is in memory, or in n8n's database: then it ends with the request of a pause,
 * and the run that follows goes on with what the book has. A finished video is downloaded by the run that sees it finished,
 * since its URL may expire.
 */
export async function runOperation(
	run: VideoRun,
	operation: Operation,
): Promise<INodeExecutionData[] | EngineRequest> {
	const wait = new Wait(run);
	if (run.book.current.size === 0) await wait.begin(operation);
	wait.hintAboutMemory();
	return (await wait.continue()) ?? run.output.items();
}

class Wait {
	private readonly startedAt = systemClock.wallTime();
	/** Why n8n's database cannot keep the wait; empty where it is not to. */
	private readonly refusal: string | undefined;

	constructor(private readonly run: VideoRun) {
		const { book, durable, service } = run;
		if (book.isGone) this.refusal = LOST_STATE;
		else if (durable.isResumed || waitsInDatabase(service.context))
			this.refusal = durable.refusal();
		else this.refusal = '';
	}

	/** Starts the tasks of all items. While a video is waited for, the next item is started. */
	async begin(operation: Operation): Promise<void> {
		const { book, service } = this.run;
		const outcomes = await outcomesOf<Planned, object>(service, {
			prepare: (item) => {
				const planned = operation.plan(this.run, item);
				readOptions(operation, service.context, planned.entry);
				return planned;
			},
			work: async ({ entry, start }) => {
				await start?.().catch((error: unknown) => {
					if (liveTasks(entry).length === 0 || error instanceof CancelledError) throw error;
					// What is paid for is waited for all the same.
					entry.error = reportError(afterEarlierTry(error, entry.earlier));
				});
				// What is submitted and not waited for is done.
				if (start && !entry.wait) for (const task of liveTasks(entry)) task.isSettled = true;
				const settling = this.settleItem(entry);
				return entry.wait ? { pending: settling } : await settling;
			},
		});
		const { current } = book;
		for (const [item, outcome] of outcomes.entries()) {
			// What is reported is in the book.
			if (!outcome || 'result' in outcome || outcome.error instanceof ReportedError) continue;
			const entry = current.get(item) ?? book.add({ item, tasks: [] });
			entry.error = reportError(afterEarlierTry(outcome.error, entry.earlier));
		}
	}

	/** Says why the wait is not in the database, although it is to be. */
	hintAboutMemory(): void {
		const { book, service } = this.run;
		const isLong = ({ wait }: BookEntry) => (wait?.maxWaitMs ?? 0) >= MIN_WAIT_MS;
		const waited = [...book.current.values()].filter(({ tasks }) => tasks.length > 0);
		const isShort = waited.length > 0 && !waited.some(isLong);
		const reason = this.refusal ?? (isShort && 'Max Wait is less than 70 seconds');
		if (reason) hintAfterRun(service.context, `Waited in memory: ${reason}`);
	}

	/** @returns the request of a pause; undefined when all tasks are settled */
	async continue(): Promise<EngineRequest | undefined> {
		const { book, durable, service } = this.run;
		for (let isDue = durable.isResumed; ; isDue = false) {
			const waited = [...book.current.values()].filter(({ wait }) => wait);
			const open = waited.flatMap(openTasksOf);
			if (open.length === 0) return undefined;
			const unfinished = open.filter(({ task }) => !isFinished(task.entry));
			const isLast = unfinished.length === 0;
			const mayPause = (each: OpenTask) => !isLast && this.fitsPause(each);
			if (!isDue && !isLast && unfinished.every(mayPause)) return this.pause(unfinished);
			const due = isLast ? open : unfinished;
			const settling = due.map(async (each) => await this.settle(each, mayPause(each)));
			// What a cancel ends is thrown as an error of the node, which names the tasks.
			await Promise.all(settling).finally(() => throwIfCancelled(service.context));
		}
	}

	/** @throws ReportedError if the item fails: with On Error "Stop Workflow" no further item starts then */
	private async settleItem(entry: BookEntry): Promise<object> {
		await Promise.all(openTasksOf(entry).map(async (open) => await this.settle(open)));
		const error = entry.error ?? liveTasks(entry).find((task) => task.error)?.error;
		if (error !== undefined) throw new ReportedError(error);
		return {};
	}

	/** One that was submitted in this run is first polled after the pause. */
	private async settle(open: OpenTask, mayPause = this.fitsPause(open)): Promise<void> {
		const { submittedAt } = open.task;
		const isFresh = submittedAt !== undefined && msBetween(this.startedAt, submittedAt) >= 0;
		if (!mayPause || !isFresh) await this.run.tasks.settle(open, mayPause);
	}

	private fitsPause({ task: { deadline } }: OpenTask): boolean {
		if (this.refusal !== undefined || deadline === undefined) return false;
		return msBetween(systemClock.wallTime(), deadline) >= MIN_WAIT_MS;
	}

	private pause(waiting: OpenTask[]): EngineRequest {
		const { book, log, service } = this.run;
		const { current } = book;
		return this.run.durable.pause({
			until: endOfPause(systemClock.wallTime(), waiting),
			// With all that is known, for whoever pins them to build the nodes that follow.
			shown: [...current.values()].flatMap((entry) =>
				liveTasks(entry).map((task) => this.run.output.itemOf(entry, task).json),
			),
			hints: [...this.hintOfTimeout(waiting), ...log.lostHints],
			ifStopped: service.context.getInputData().map((_, item) => ifStopped(current.get(item))),
		});
	}

	private hintOfTimeout(waiting: OpenTask[]): string[] {
		const { executionTimeout = 0 } = this.run.service.context.getWorkflowSettings();
		const longest = Math.max(...waiting.map(({ item }) => item.wait?.maxWaitMs ?? 0));
		if (executionTimeout <= 0 || executionTimeout * 1000 >= longest) return [];
		return [
			`Timeout Workflow is shorter than Max Wait: unless it runs in queue mode, n8n stops this workflow after ${formatSeconds(executionTimeout * 1000)}. Increase it in the workflow's settings.`,
		];
	}
}

/** What becomes of an item if n8n never runs the node again. */
function ifStopped({ tasks, error }: Pick<BookEntry, 'tasks' | 'error'> = { tasks: [] }): string {
	const ids = tasks.map(({ entry }) => entry.id).join(', ');
	if (ids)
		return `Stopped while it waited: use Wait with ${ids}, or retry with the original workflow`;
	if (error === undefined) return 'Stopped before it was submitted';
	const { message, description } = error.failure;
	return `${withFullStop(message)} ${description}`;
}

/** The tasks of an entry of which nothing came yet. */
function openTasksOf(entry: BookEntry): OpenTask[] {
	const open = liveTasks(entry).filter(({ isSettled }) => !isSettled);
	const { wait } = entry;
	return open.map((task) => {
		if (wait) task.deadline ??= later(systemClock.wallTime(), wait.maxWaitMs);
		return { item: entry, task };
	});
}
