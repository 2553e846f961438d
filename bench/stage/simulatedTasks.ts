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

/** What services report of a task that is not finished. */
export const PROGRESS: Record<string, Progress> = {
	linear: (duration) => (elapsed) => percent(elapsed / duration),
	/** Nothing while the task is queued, then evenly. */
	'queued, then linear': (duration, random) => {
		const queued = 0.3 * random();
		return (elapsed) => percent((elapsed / duration - queued) / (1 - queued));
	},
	/** In steps of 10, 20 or 25 percent, as services report that know only what stage they are in. */
	jumping: (duration, random) => {
		const step = [10, 20, 25][Math.floor(3 * random())] ?? 10;
		return (elapsed) => step * Math.floor(percent(elapsed / duration) / step);
	},
	absent: () => () => undefined,
};
