import {
	type BookEntry,
	earliest,
	later,
	msBetween,
	type PaidTask,
	PollSchedule,
	type WallTime,
} from '../../gateway';
import { MIN_PAUSE_MS } from '../shared/durableWait/durableWait';

/** n8n resumes everything that is due at once: pauses that start together end apart. */
const SPREAD_MS = 5_000;
/** What is left to wait when it no longer fits a pause. */
export const MIN_WAIT_MS = MIN_PAUSE_MS + SPREAD_MS;

/** A task of which nothing came yet. */
export interface OpenTask {
	item: BookEntry;
	task: PaidTask;
}

/**
 * Until when to pause: for the first useful poll of any task, and no longer than the Max Wait of any.
 * @param tasks none less than {@link MIN_WAIT_MS} before its deadline
 */
export function endOfPause(
	now: WallTime,
	tasks: OpenTask[],
	random: number = Math.random(),
): WallTime {
	const next = Math.min(...tasks.map((task) => nextPoll(now, task)));
	const until = later(now, Math.round(next + random * SPREAD_MS));
	return earliest([until, ...tasks.flatMap(({ task }) => task.deadline ?? [])]);
}

function nextPoll(now: WallTime, { item: { wait }, task }: OpenTask): number {
	const interval = Math.max(MIN_PAUSE_MS, wait?.pollIntervalMs ?? 0);
	const { seen, deadline = now } = task;
	const { progress } = task.entry;
	// A task at 0 percent does not show its end, and a video that takes a minute is polled in time.
	if (seen === undefined || !progress) return interval;
	const schedule = new PollSchedule(wait?.polling ?? 'fixed', interval);
	const sinceSeenMs = msBetween(seen.at, now);
	schedule.next(0, seen.progress, Infinity);
	const next = schedule.next(sinceSeenMs, progress, msBetween(now, deadline));
	return Math.max(MIN_PAUSE_MS, next);
}
