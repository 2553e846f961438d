import type { Random } from '../../test/simulation/host/random';

/** A simulated video task. Times in milliseconds. */
export interface SimulatedTask {
	duration: number;
	/** Percent at a time, as an integer; undefined if the service reports none. */
	progress: (elapsed: number) => number | undefined;
}

const MIN_DURATION = 60_000;
const MAX_DURATION = 180_000;

const between = (low: number, high: number, fraction: number) => low + (high - low) * fraction;
/** The mean of three: a bell curve. */
const bell = (random: Random) => (random() + random() + random()) / 3;

/** How long tasks take: one to three minutes each. */
export const DURATIONS: Record<string, (random: Random) => number> = {
	uniform: (random) => between(MIN_DURATION, MAX_DURATION, random()),
	'bell curve': (random) => between(MIN_DURATION, MAX_DURATION, bell(random)),
	'mostly short': (random) => between(MIN_DURATION, MAX_DURATION, random() ** 3),
	'short or long': (random) =>
		random() < 0.5
			? between(MIN_DURATION, 80_000, random())
			: between(150_000, MAX_DURATION, random()),
};

type Progress = (duration: number, random: Random) => SimulatedTask['progress'];

const percent = (fraction: number) => Math.max(0, Math.min(99, Math.floor(100 * fraction)));

/** No progress for up to 30 % of the time, then this progress. */
const queued =
	(progress: Progress): Progress =>
	(duration, random) => {
		const begin = 0.3 * random() * duration;
		const afterQueue = progress(duration - begin, random);
		return (elapsed) => afterQueue(Math.max(0, elapsed - begin));
	};

/** In steps of 10, 20 or 25 percent, from services that know only the phase of a task. */
const inSteps: Progress = (duration, random) => {
	const step = [10, 20, 25][Math.floor(3 * random())] ?? 10;
	return (elapsed) => step * Math.floor(percent(elapsed / duration) / step);
};

const linear: Progress = (duration) => (elapsed) => percent(elapsed / duration);

/** How services report the progress of a task. */
export const PROGRESS: Record<string, Progress> = {
	linear,
	'queued, then linear': queued(linear),
	'in steps': inSteps,
	absent: () => () => undefined,
};

/** Progress that contradicts what the schedule expects. */
export const ODD_PROGRESS: Record<string, Progress> = {
	'queued, then in steps': queued(inSteps),
	'slow at first': (duration) => (elapsed) => percent((elapsed / duration) ** 2),
	'slow at the end': (duration) => (elapsed) => percent(1 - (1 - elapsed / duration) ** 2),
	/** For up to 30 % of the time. */
	pausing: (duration, random) => {
		const pause = 0.3 * random() * duration;
		const begin = random() * (duration - pause);
		const paused = (elapsed: number) => Math.min(pause, Math.max(0, elapsed - begin));
		return (elapsed) => percent((elapsed - paused(elapsed)) / (duration - pause));
	},
	/** By up to 5 percent in both directions. */
	fluctuating: (duration, random) => (elapsed) =>
		percent(elapsed / duration + 0.1 * random() - 0.05),
	/** For up to the last 30 % of the time. */
	'stuck at 99': (duration, random) => {
		const full = (0.7 + 0.3 * random()) * duration;
		return (elapsed) => percent(elapsed / full);
	},
	/** The task ends when it shows 60 percent or more. */
	'never complete': (duration, random) => {
		const last = 0.6 + 0.4 * random();
		return (elapsed) => percent((last * elapsed) / duration);
	},
	'always 0': () => () => 0,
};
