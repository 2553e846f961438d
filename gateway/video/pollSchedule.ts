import type { VideoTask } from '../schemas/video';

export type Polling = 'fixed' | 'adaptive';

export interface PollHistory {
	/** When waiting for the task began, in milliseconds. */
	startedAt: number;
	/** When the task was last seen, and what it said. */
	seenAt: number;
	task: VideoTask | undefined;
}

/** A next poll lies at most this far on the way to the expected end: an early estimate is only that. */
const TRUSTED_PART = 0.7;
/** However good the estimate, a task is not asked more often than this part of the poll interval. */
const SHORTEST_PART = 0.2;
/** A progress below this says too little about the pace. */
const LEAST_PROGRESS = 5;

/**
 * When to ask for a task next, in milliseconds from the last look.
 * `fixed`: each poll interval. `adaptive`: at the end that progress and elapsed time lead one to expect, carefully
 * while it is far off; each poll interval where the service reports no progress.
 */
export function nextPoll(polling: Polling, intervalMs: number, history: PollHistory): number {
	const left = polling === 'adaptive' ? expectedRest(history) : undefined;
	if (left === undefined) return intervalMs;
	const shortest = intervalMs * SHORTEST_PART;
	return Math.max(shortest, left > 2 * intervalMs ? left * TRUSTED_PART : left + shortest);
}

/** Milliseconds until the expected end of the task; undefined where nothing lets one expect it. */
function expectedRest({ task, startedAt, seenAt }: PollHistory): number | undefined {
	const progress = task?.progress;
	if (typeof progress !== 'number' || !(progress >= LEAST_PROGRESS && progress < 100))
		return undefined;
	return ((seenAt - startedAt) * (100 - progress)) / progress;
}
