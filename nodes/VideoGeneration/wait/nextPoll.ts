import {
	earliest,
	later,
	msBetween,
	PollSchedule,
	type WaitedTask,
	type WallTime,
} from '../../../gateway';
import type { WaitPlan } from './waitingOperation';

/**
 * n8n checks every 60 s for waits that end within 70 s: it ends one of 65 s on time, and a shorter one up to 60 s late.
 */
const MIN_PAUSE_MS = 65_000;
/** n8n resumes everything that is due at once: pauses that start together end apart. */
const SPREAD_MS = 5_000;
/** What is left to wait when it no longer fits a pause. */
export const MIN_WAIT_MS = MIN_PAUSE_MS + SPREAD_MS;

/**
 * Until when to pause: for the first useful poll of any task, and no longer than the Max Wait of any.
 * @param tasks with the plan that each is waited for by; none less than {@link MIN_WAIT_MS} before its deadline
 */
export function endOfPause(
	now: WallTime,
	tasks: Array<{ task: WaitedTask; plan: WaitPlan }>,
	random: number = Math.random(),
): WallTime {
	const next = Math.min(...tasks.map(({ task, plan }) => nextPoll(now, task, plan)));
	const until = later(now, Math.round(next + random * SPREAD_MS));
	return earliest([until, ...tasks.map(({ task }) => task.deadline)]);
}

function nextPoll(now: WallTime, task: WaitedTask, { wait }: WaitPlan): number {
	const interval = Math.max(MIN_PAUSE_MS, wait.pollIntervalMs);
	const { seen, progress } = task;
	// A task at 0 percent does not show its end, and a video that takes a minute is polled in time.
	if (seen === undefined || !progress) return interval;
	const schedule = new PollSchedule(wait.polling, interval);
	const sinceSeenMs = msBetween(seen.at, now);
	schedule.next(0, seen.progress, Infinity);
	const next = schedule.next(sinceSeenMs, progress, msBetween(now, task.deadline));
	return Math.max(MIN_PAUSE_MS, next);
}
