import type { EngineRequest } from 'n8n-workflow';
import {
	earliest,
	later,
	msBetween,
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
import { mayPause, MIN_WAIT_MS, openTasks, settleTask, SPREAD_MS } from './settle';

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
		const settling = waited.flatMap((entry) =>
			openTasks(entry).map(async (task) => await settleTask(run, entry, task)),
		);
		// What a cancel ends is thrown as an error of the node, which names the tasks.
		await Promise.all(settling).finally(() => throwIfCancelled(context));
		const left = waited.flatMap(openTasks);
		if (left.length === 0) return undefined;
		if (left.every((task) => mayPause(run, task))) return pause(run, left);
	}
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
