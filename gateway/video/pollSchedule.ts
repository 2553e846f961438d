export type Polling = 'fixed' | 'adaptive';

/** No two looks at a task are closer together than this part of the poll interval. */
const SHORTEST_PART = 0.2;
/** No two looks are further apart than so many intervals: a wrong estimate costs no more than that. */
const MOST_INTERVALS = 8;
/** An estimate is trusted for so many times the stretch of time that it was made from. */
const TRUST = 3;
/** A task at 0 percent has its time before it; but a progress that stays there after so many looks says nothing. */
const LOOKS_AT_ZERO = 4;
const INTERVALS_AT_ZERO = 3;
/** The pace of a while ago says little about the rest. */
const LOOKS_KEPT = 8;

/** What one look at a task showed, in milliseconds and percent. */
interface Look {
	at: number;
	progress: number;
}

/**
 * Decides when to look at a task next. `fixed`: each poll interval. `adaptive`: where the progress shows when the
 * end is near, only then.
 *
 * A progress of 40 that moves in steps of 20 means 40 to 60: each look is a range, and the smallest step seen is its
 * width. Two looks then bound the pace, and so the earliest and the latest end; all looks together bound them
 * closely. Only the latest looks that one even pace explains count: what was before a queue or a standstill
 * ended, does not. The next look is one interval after the earliest end, or at the latest end if that is sooner.
 * Where nothing can be told (no progress, none that moves, one that goes back), it is an interval away. Before the
 * wait for the task is over there is always time for one last look.
 */
export class PollSchedule {
	/** From the last look before the progress moved on. */
	private looks: Look[] = [];
	private looksAtZero = 0;

	constructor(
		private readonly polling: Polling,
		private readonly intervalMs: number,
	) {}

	/**
	 * Milliseconds until the next look.
	 * @param progress what the look that was taken now showed, if anything
	 * @param leftMs until the task is no longer waited for
	 */
	next(now: number, progress: number | null | undefined, leftMs: number): number {
		const shortest = this.intervalMs * SHORTEST_PART;
		const tells = this.polling === 'adaptive' && isPercentage(progress) && progress < 100;
		const wait = tells ? this.adapted({ at: now, progress }) : this.intervalMs;
		return Math.max(shortest, Math.min(wait, leftMs - shortest));
	}

	private adapted(look: Look): number {
		const { intervalMs } = this;
		const [first] = this.looks;
		if (first === undefined || look.progress <= first.progress) {
			this.looks = [look];
			if (look.progress > 0 || ++this.looksAtZero > LOOKS_AT_ZERO) return intervalMs;
			return INTERVALS_AT_ZERO * intervalMs;
		}
		this.looks = [...this.looks, look].slice(-LOOKS_KEPT);
		const { earliest, latest, since } = expectedEnd(this.looks);
		return Math.min(
			earliest - look.at + Math.min(intervalMs, latest - earliest),
			Math.max(intervalMs, TRUST * (look.at - since)),
			MOST_INTERVALS * intervalMs,
		);
	}
}

/** When a task ends that moves at one pace, as far as its looks tell, and since when that pace explains them. */
function expectedEnd(looks: Look[]): { earliest: number; latest: number; since: number } {
	const step = smallestStep(looks);
	const highest = ({ progress }: Look) => Math.min(100, progress + step);
	const newest = looks.at(-1) ?? { at: 0, progress: 0 };
	let found = { earliest: newest.at, latest: Infinity, since: newest.at };
	for (let index = looks.length - 2; index >= 0; index -= 1) {
		const from = looks[index] ?? newest;
		let { earliest, latest } = found;
		for (const to of looks.slice(index + 1)) {
			const fastest = (highest(to) - from.progress) / (to.at - from.at);
			const slowest = (to.progress - highest(from)) / (to.at - from.at);
			const soonest = fastest > 0 ? to.at + (100 - highest(to)) / fastest : Infinity;
			earliest = Math.max(earliest, soonest);
			if (slowest > 0) latest = Math.min(latest, to.at + (100 - to.progress) / slowest);
		}
		if (latest < earliest || earliest === Infinity) break;
		found = { earliest, latest, since: from.at };
	}
	return found;
}

function smallestStep(looks: Look[]): number {
	const steps = looks.slice(1).map((look, index) => look.progress - (looks[index]?.progress ?? 0));
	return Math.min(100, ...steps.filter((step) => step > 0));
}

function isPercentage(value: number | null | undefined): value is number {
	return typeof value === 'number' && value >= 0 && value <= 100;
}
