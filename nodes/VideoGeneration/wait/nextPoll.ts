import { PollSchedule, type WaitedTask } from '../../../gateway';
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
	now: number,
	tasks: Array<{ task: WaitedTask; plan: WaitPlan }>,
	random: number = Math.random(),
): number {
	const next = Math.min(...tasks.map(({ task, plan }) => nextPoll(now, task, plan)));
	const deadline = Math.min(...tasks.map(({ task }) => task.deadline));
	return Math.round(Math.min(now + next + random * SPREAD_MS, deadline));
}

function nextPoll(now: number, task: WaitedTask, { wait }: WaitPlan): number {
	const interval = Math.max(MIN_PAUSE_MS, wait.pollIntervalMs);
	const { seen, progress } = task;
	// A task at 0 percent does not show its end, and a video that takes a minute is polled in time.
	if (seen === undefined || !progress) return interval;
	const schedule = new PollSchedule(wait.polling, interval);
	schedule.next(seen.at, seen.progress, Infinity);
	const next = schedule.next(now, progress, task.deadline - now);
	return Math.max(MIN_PAUSE_MS, next);
}
