import type { VideoTask } from '../schemas/video';
import { epochMs, msBetween, type WallTime } from '../wallTime';
import type { WaitedTask } from './waitedTask';

export type Polling = 'fixed' | 'adaptive';

/** No two polls of a task are closer together than this part of the poll interval. */
const MIN_PART = 0.2;
/** No two polls are further apart than this many intervals: the most a wrong estimate can cost. */
const MAX_INTERVALS = 8;
/** An estimate is trusted for this many times the period it was made from. */
const TRUST = 3;
/** A task at 0 percent is not done soon; but progress that stays there for this many polls says nothing. */
const POLLS_AT_ZERO = 4;
const INTERVALS_AT_ZERO = 3;
/** Older progress says little about the rest. */
const POLLS_KEPT = 8;

/** What one poll of a task showed, in milliseconds and percent. */
interface Sample {
	at: number;
	progress: number;
}

export interface Pace {
	polling: Polling;
	/** Milliseconds from one poll to the next. */
	interval: number;
	/** Milliseconds that the wait for the next poll takes at least. */
	shortest: number;
}

const isEstimate = (progress: unknown): progress is number =>
	typeof progress === 'number' && progress >= 0 && progress < 100;

/** What is known of the progress of a task, with the poll that just found it. */
export function progressOf(
	{ samples: before = [], pollsAtZero = 0 }: WaitedTask,
	{ status, progress }: VideoTask,
	now: WallTime,
): Pick<WaitedTask, 'samples' | 'pollsAtZero'> {
	if (!isEstimate(progress)) return {};
	if (progress === 0) pollsAtZero += 1;
	if (status === 'queued') return { samples: [], pollsAtZero };
	const [first] = before;
	const last = before.at(-1);
	// From the last poll before the progress moved on. The host's clock may have been set back.
	const isMoving = first !== undefined && last !== undefined && progress > first.progress;
	const samples = isMoving && msBetween(last.at, now) > 0 ? before : [];
	return { samples: [...samples, { at: now, progress }].slice(-POLLS_KEPT), pollsAtZero };
}

/**
 * Milliseconds until a task is polled next. `fixed`: every poll interval. `adaptive`: less often, if the progress shows when the
 * task will end.
 *
 * A progress of 40 that moves in steps of 20 means 40 to 60: each poll gives a range, and the smallest step seen is its
 * width. Two polls bound the speed, and so the earliest and the latest end; all polls together bound them
 * closely. Only the latest polls that one constant speed explains count: those in a queue or before the end of a standstill
 * do not. The next poll is one interval after the earliest end, or at the latest end if that is sooner.
 * Without an estimate (no progress, none that moves, one that goes back), it is an interval away. The last poll
 * is when the wait is over.
 * @param found what the poll that just ended told; undefined if it failed
 * @param leftMs milliseconds until Max Wait is over
 */
export function msUntilPoll(
	task: WaitedTask,
	found: VideoTask | undefined,
	{ polling, interval: asked, shortest }: Pace,
	leftMs: number,
): number {
	const interval = Math.max(asked, shortest);
	const least = Math.max(interval * MIN_PART, shortest);
	const progress = polling === 'adaptive' ? found?.progress : undefined;
	const ms = isEstimate(progress) ? adapted(task, progress, interval, asked) : interval;
	// A pause may end shortly before Max Wait: the rest is waited for in memory.
	return ms > leftMs - asked * MIN_PART ? Math.max(0, leftMs) : Math.max(least, ms);
}

function adapted(
	{ samples = [], pollsAtZero = 0 }: WaitedTask,
	progress: number,
	interval: number,
	asked: number,
): number {
	const all = samples.map(({ at, progress }) => ({ at: epochMs(at), progress }));
	const newest = all.at(-1);
	if (newest === undefined || all.length === 1) {
		const saysNothing = progress > 0 || pollsAtZero > POLLS_AT_ZERO;
		return saysNothing ? interval : Math.max(interval, INTERVALS_AT_ZERO * asked);
	}
	const { earliest, latest, since } = expectedEnd(all, newest);
	return Math.min(
		earliest - newest.at + Math.min(interval, latest - earliest),
		Math.max(interval, TRUST * (newest.at - since)),
		MAX_INTERVALS * interval,
	);
}

/** When a task that moves at a constant speed ends, from its samples, and since when that speed explains them. */
function expectedEnd(samples: Sample[], newest: Sample) {
	const step = smallestStep(samples);
	const highest = ({ progress }: Sample) => Math.min(100, progress + step);
	let found = { earliest: newest.at, latest: Infinity, since: newest.at };
	const later: Sample[] = [newest];
	for (const from of samples.slice(0, -1).reverse()) {
		let { earliest, latest } = found;
		for (const to of later) {
			const fastest = (highest(to) - from.progress) / (to.at - from.at);
			const slowest = (to.progress - highest(from)) / (to.at - from.at);
			earliest = Math.max(earliest, to.at + (100 - highest(to)) / fastest);
			if (slowest > 0) latest = Math.min(latest, to.at + (100 - to.progress) / slowest);
		}
		if (latest <= earliest) break;
		found = { earliest, latest, since: from.at };
		later.push(from);
	}
	return found;
}

function smallestStep(samples: Sample[]): number {
	const steps = samples
		.slice(1)
		.map((sample, index) => sample.progress - (samples[index]?.progress ?? 0));
	return Math.min(100, ...steps.filter((step) => step > 0));
}
