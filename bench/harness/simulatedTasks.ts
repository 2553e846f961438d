/** A video task as a service might run it. Times in milliseconds. */
export interface SimulatedTask {
	duration: number;
	/** Percent at a time, as an integer; undefined where the service reports none. */
	progress: (elapsed: number) => number | undefined;
}

type Random = () => number;

const SHORTEST = 60_000;
const LONGEST = 180_000;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const between = (low: number, high: number, part: number) => low + (high - low) * part;
/** Three together lie about the middle, as a bell. */
const bell = (random: Random) => (random() + random() + random()) / 3;

/** How long tasks take: one to three minutes each. */
export const DURATIONS: Record<string, (random: Random) => number> = {
	even: (random) => between(SHORTEST, LONGEST, random()),
	bell: (random) => between(SHORTEST, LONGEST, bell(random)),
	'mostly short': (random) => between(SHORTEST, LONGEST, random() ** 3),
	'short or long': (random) =>
		random() < 0.5 ? between(SHORTEST, 80_000, random()) : between(150_000, LONGEST, random()),
};

type Progress = (duration: number, random: Random) => SimulatedTask['progress'];

const percent = (part: number) => Math.max(0, Math.min(99, Math.floor(100 * part)));

/** Nothing for up to 30 % of the time, then as the progress given. */
const queued =
	(progress: Progress): Progress =>
	(duration, random) => {
		const begin = 0.3 * random() * duration;
		const begun = progress(duration - begin, random);
		return (elapsed) => begun(Math.max(0, elapsed - begin));
	};

/** In steps of 10, 20 or 25 percent, as services report that know only what stage they are in. */
const jumping: Progress = (duration, random) => {
	const step = [10, 20, 25][Math.floor(3 * random())] ?? 10;
	return (elapsed) => step * Math.floor(percent(elapsed / duration) / step);
};

const linear: Progress = (duration) => (elapsed) => percent(elapsed / duration);

/** What services report of a task that is not finished. */
export const PROGRESS: Record<string, Progress> = {
	linear,
	'queued, then linear': queued(linear),
	jumping,
	absent: () => () => undefined,
};

/** What services may report besides, against what the schedule expects. */
export const ODD_PROGRESS: Record<string, Progress> = {
	'queued, then jumping': queued(jumping),
	'slow at first': (duration) => (elapsed) => percent((elapsed / duration) ** 2),
	'slow at the end': (duration) => (elapsed) => percent(1 - (1 - elapsed / duration) ** 2),
	/** For up to 30 % of the time, somewhere. */
	'standing still for a while': (duration, random) => {
		const pause = 0.3 * random() * duration;
		const begin = random() * (duration - pause);
		const paused = (elapsed: number) => Math.min(pause, Math.max(0, elapsed - begin));
		return (elapsed) => percent((elapsed - paused(elapsed)) / (duration - pause));
	},
	/** By up to 5 percent in both directions. */
	wavering: (duration, random) => (elapsed) => percent(elapsed / duration + 0.1 * random() - 0.05),
	/** The last 30 % of the time or less. */
	'waiting at 99': (duration, random) => {
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
