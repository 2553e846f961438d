const SECOND_MS = 1_000;
/** How often, at most, a stretch is marked, and how many marks are kept. */
const MARK_MS = 50;
const MOST_MARKS = 200;
/** In less time than this the jitter on the way decides how many requests arrive. */
const SHORTEST_MS = 100;

/** What a service took at once before it refused, and within which time. */
export interface Burst {
	taken: number;
	ms: number;
}

interface Mark {
	at: number;
	/** Requests of this stretch that had passed before. */
	passed: number;
}

/** Requests sent from one pause to the next. */
export class Stretch {
	lastAt: number;
	private passed = 0;
	private refused = 0;
	private readonly marks: Mark[] = [];

	/**
	 * @param credit requests that could be sent at once when it began
	 * @param emptyAt when the service had nothing left to give, before the pause
	 */
	constructor(
		private readonly openedAt: number,
		readonly credit = Infinity,
		private readonly emptyAt = openedAt,
	) {
		this.lastAt = openedAt;
	}

	get isOver(): boolean {
		return this.refused > 0;
	}

	get taken(): number {
		return this.passed - this.refused;
	}

	/** What was taken of late. */
	get recent(): Burst {
		const [from] = this.marks;
		if (from === undefined) return { taken: 1, ms: 0 };
		return { taken: Math.max(1, this.taken - from.passed), ms: this.lastAt - from.at };
	}

	pass(now: number): void {
		const last = this.marks.at(-1);
		if (last === undefined || now - last.at >= MARK_MS) {
			this.marks.push({ at: now, passed: this.passed });
			if (this.marks.length > MOST_MARKS) this.marks.shift();
		}
		this.passed += 1;
		this.lastAt = now;
	}

	refuse(): void {
		this.refused += 1;
	}

	/** The whole seconds until `end`: a service rounds its pauses up to those. */
	secondsUntil(end: number): number {
		return Math.max(1, Math.floor((end - this.openedAt) / SECOND_MS));
	}

	/**
	 * Between which rates, in requests a second, the limit is: in no time a service takes more than its burst and what
	 * flows in meanwhile, and in one of them it took just that.
	 */
	limits(burst: Burst): { least: number; most: number } {
		let least = (this.taken * SECOND_MS) / Math.max(1, this.lastAt - this.emptyAt);
		let most = 0;
		for (const { at, passed } of [{ at: this.openedAt, passed: 0 }, ...this.marks]) {
			const ms = this.lastAt - at - burst.ms;
			if (ms < SHORTEST_MS) continue;
			const flowed = this.taken - passed - burst.taken;
			least = Math.max(least, ((flowed - 1) * SECOND_MS) / ms);
			most = Math.max(most, ((flowed + 1) * SECOND_MS) / ms);
		}
		return { least, most: most === 0 ? Infinity : most };
	}
}
