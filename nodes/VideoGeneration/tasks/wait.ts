import type { EngineRequest } from 'n8n-workflow';
import {
	earliest,
	later,
	msBetween,
	type Pauses,
	systemClock,
	type WaitedTask,
	type WallTime,
} from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import { MIN_PAUSE_MS } from '../../shared/durableWait/durableWait';
import { hintAfterRun } from '../../shared/output/hints';
import { throwIfCancelled } from '../../shared/run/turns';
import { errorSummary } from '../../shared/run/errorText';
import { listOfIds, RETRY, toGetWithoutPaying } from './advice';
import { itemOfTask } from './output';
import type { VideoRun } from './plan';
import { settleTask } from './settle';

/** n8n resumes everything that is due at once: pauses that start together end apart. */
const SPREAD_MS = 5_000;
/** A task with less than this before its deadline is waited for in memory: a pause might take longer. */
export const MIN_WAIT_MS = MIN_PAUSE_MS + SPREAD_MS;

/** Settles the tasks of an item, except those that wait in the database. */
export async function settleItem(run: VideoRun, entry: BookEntry): Promise<void> {
	const settling: Array<Promise<void>> = [];
	for (const task of openTasks(entry))
		settling.push(settleTask(run, entry, task, pausesOf(run, task)));
	await Promise.all(settling);
}

/**
 * Settles the tasks of all items. In memory and in n8n's database, the run differs in where it sleeps.
 * @returns the request of a pause, after which it continues; undefined when all are settled
 */
export async function settleAll(run: VideoRun): Promise<EngineRequest | undefined> {
	const { context } = run;
	const waited = [...run.book.current.values()].filter(({ waitOptions }) => waitOptions);
	const longest = Math.max(...waited.map(({ waitOptions }) => waitOptions?.maxWaitMs ?? 0));
	const isShort = waited.length > 0 && longest < MIN_WAIT_MS;
	const reason = run.inMemory ?? (isShort && 'Max Wait is less than 70 seconds');
	if (reason) hintAfterRun(context, `Waited in memory: ${reason}`);
	for (;;) {
		const settling = Promise.all(waited.map(async (entry) => await settleItem(run, entry)));
		// What a cancel ends is thrown as an error of the node, which names the tasks.
		await settling.finally(() => throwIfCancelled(context));
		const left = waited.flatMap(openTasks);
		if (left.length === 0) return undefined;
		if (left.every((task) => pausesOf(run, task).allow())) return pause(run, left);
	}
}

/** When the wait for a task may be in n8n's database. */
function pausesOf({ inMemory }: VideoRun, task: PaidTask): Pauses {
	const now = () => systemClock.wallTime();
	const leftMs = () => (task.deadline ? msBetween(now(), task.deadline) : 0);
	const allow = () => inMemory === undefined && leftMs() >= MIN_WAIT_MS;
	return { shortest: MIN_PAUSE_MS, allow };
}

function pause(run: VideoRun, waiting: PaidTask[]): EngineRequest {
	const { current } = run.book;
	return run.durable.pause({
		until: endOfPause(systemClock.wallTime(), waiting),
		// Users pin these items to build the nodes that follow, so they have all fields that are known.
		shown: [...current.values()].flatMap((entry) =>
			liveTasks(entry).map((task) => itemOfTask(run, entry, task).json),
		),
		ifStopped: run.context.getInputData().map((_, item) => ifStopped(current.get(item))),
	});
}

/** What becomes of an item if n8n never runs the node again. */
function ifStopped(entry: BookEntry | undefined): string {
	const ids = entry?.tasks.map(({ latest }) => latest.id) ?? [];
	if (ids.length > 0) {
		const orElse = `use ${RETRY} with the original workflow, or `;
		const how = toGetWithoutPaying({ operation: 'Wait', count: ids.length, orElse });
		return `Stopped while it waited. ${how}. ${listOfIds(ids)}`;
	}
	return entry?.error ? errorSummary(entry.error) : 'Stopped before it was submitted';
}

function openTasks({ tasks }: BookEntry): PaidTask[] {
	return tasks.filter(({ state }) => state === 'open');
}

/** Until when to pause: for the first poll of any task, and no longer than the Max Wait of any. */
export function endOfPause(
	now: WallTime,
	tasks: WaitedTask[],
	random: number = Math.random(),
): WallTime {
	const due = earliest(tasks.map((task) => task.due ?? now));
	const ms = Math.max(MIN_PAUSE_MS, msBetween(now, due)) + Math.round(random * SPREAD_MS);
	return earliest([later(now, ms), ...tasks.flatMap(({ deadline }) => deadline ?? [])]);
}
