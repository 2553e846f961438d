const SECOND_MS = 1_000;
/** How often, at most, a stretch is marked, and how many marks are kept. */
const MARK_MS = 50;
const MOST_MARKS = 200;
interface Mark {
	at: number;
	/** Requests of this stretch that had passed before. */
	passed: number;
}

/** Requests sent from one pause to the next. */
export class SendPeriod {
	lastAt: number;
	private passed = 0;
	refused = 0;
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

	/** What was taken of late, and within which time. */
	get recent(): { taken: number; ms: number } {
		const [from] = this.marks;
		if (from === undefined) return { taken: 1, ms: 0 };
		return { taken: Math.max(1, this.taken - from.passed), ms: this.lastAt - from.at };
	}

	send(now: number): void {
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

	/** When each request passed that was taken, or up to 50 ms later. */
	get times(): number[] {
		const times = this.marks.flatMap(({ passed }, index) => {
			const next = this.marks[index + 1] ?? { at: this.lastAt, passed: this.passed };
			return new Array<number>(next.passed - passed).fill(next.at);
		});
		return times.slice(0, this.taken);
	}

	/** Requests a second that were taken since the service had nothing left to give. It gives at least that many. */
	get flow(): number {
		return (this.taken * SECOND_MS) / Math.max(1, this.lastAt - this.emptyAt);
	}

	/** How many tokens a bucket must have held to take this stretch, if so many flow in each second. */
	depth(perSecond: number): number {
		const depths = [{ at: this.openedAt, passed: 0 }, ...this.marks].map(
			({ at, passed }) => this.taken - passed - (perSecond * (this.lastAt - at)) / SECOND_MS,
		);
		return Math.max(1, ...depths);
	}
}
