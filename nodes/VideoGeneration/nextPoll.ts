import {
	earliest,
	later,
	msBetween,
	type PaidTask,
	PollSchedule,
	type WaitOptions,
	type WallTime,
} from '../../gateway';
import { MIN_PAUSE_MS } from '../shared/durableWait/durableWait';
import type { OutputOptions } from './outputOptions';

/** n8n resumes everything that is due at once: pauses that start together end apart. */
const SPREAD_MS = 5_000;
/** What is left to wait when it no longer fits a pause. */
export const MIN_WAIT_MS = MIN_PAUSE_MS + SPREAD_MS;

/** A task of which nothing came yet. */
export interface OpenTask {
	task: PaidTask;
	output: OutputOptions;
	/** Which of several videos of its item it is, from 1. */
	number: number;
}

/** One that is waited for. */
export interface WaitedTask extends OpenTask {
	deadline: WallTime;
	wait: WaitOptions;
}

/**
 * Until when to pause: for the first useful poll of any task, and no longer than the Max Wait of any.
 * @param tasks none less than {@link MIN_WAIT_MS} before its deadline
 */
export function endOfPause(
	now: WallTime,
	tasks: WaitedTask[],
	random: number = Math.random(),
): WallTime {
	const next = Math.min(...tasks.map((task) => nextPoll(now, task)));
	const until = later(now, Math.round(next + random * SPREAD_MS));
	return earliest([until, ...tasks.map(({ deadline }) => deadline)]);
}

function nextPoll(now: WallTime, { task, deadline, wait }: WaitedTask): number {
	const interval = Math.max(MIN_PAUSE_MS, wait.pollIntervalMs);
	const { seen, entry } = task;
	const { progress } = entry;
	// A task at 0 percent does not show its end, and a video that takes a minute is polled in time.
	if (seen === undefined || !progress) return interval;
	const schedule = new PollSchedule(wait.polling, interval);
	const sinceSeenMs = msBetween(seen.at, now);
	schedule.next(0, seen.progress, Infinity);
	const next = schedule.next(sinceSeenMs, progress, msBetween(now, deadline));
	return Math.max(MIN_PAUSE_MS, next);
}
