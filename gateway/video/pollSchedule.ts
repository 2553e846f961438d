import type { VideoTask } from '../schemas/video';

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

/**
 * Decides when to poll a task next. `fixed`: every poll interval. `adaptive`: less often, if the progress shows when
 * the task will end.
 *
 * A progress of 40 that moves in steps of 20 means 40 to 60: each poll gives a range, and the smallest step seen is its
 * width. Two polls bound the speed, and so the earliest and the latest end; all polls together bound them
 * closely. Only the latest polls that one constant speed explains count: those in a queue or before the end of a standstill
 * do not. The next poll is one interval after the earliest end, or at the latest end if that is sooner.
 * Without an estimate (no progress, none that moves, one that goes back), it is an interval away. The last poll
 * is when the wait is over.
 */
export class PollSchedule {
	/** From the last poll before the progress moved on. */
	private samples: Sample[] = [];
	private pollsAtZero = 0;

	constructor(
		private readonly polling: Polling,
		private readonly intervalMs: number,
	) {}

	/**
	 * Milliseconds until the next poll.
	 * @param task from the poll that just ended, if any
	 * @param leftMs milliseconds until Max Wait is over
	 */
	next(
		now: number,
		task: Partial<Pick<VideoTask, 'status' | 'progress'>> | undefined,
		leftMs: number,
	): number {
		const { status, progress } = task ?? {};
		const shortest = this.intervalMs * MIN_PART;
		const isEstimate = typeof progress === 'number' && progress >= 0 && progress < 100;
		const tells = this.polling === 'adaptive' && isEstimate;
		const wait = tells ? this.adapted({ at: now, progress }, status === 'queued') : this.intervalMs;
		return wait > leftMs - shortest ? Math.max(0, leftMs) : Math.max(shortest, wait);
	}

	private adapted(sample: Sample, isQueued: boolean): number {
		const { intervalMs } = this;
		const [first] = this.samples;
		if (isQueued || first === undefined || sample.progress <= first.progress) {
			this.samples = isQueued ? [] : [sample];
			if (sample.progress > 0 || ++this.pollsAtZero > POLLS_AT_ZERO) return intervalMs;
			return INTERVALS_AT_ZERO * intervalMs;
		}
		this.samples = [...this.samples, sample].slice(-POLLS_KEPT);
		const { earliest, latest, since } = expectedEnd(this.samples, sample);
		return Math.min(
			earliest - sample.at + Math.min(intervalMs, latest - earliest),
			Math.max(intervalMs, TRUST * (sample.at - since)),
			MAX_INTERVALS * intervalMs,
		);
	}
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
