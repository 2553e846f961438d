/** How often at most the number of requests is noted, and how many notes are kept: at least those of the last 10 s. */
const MARK_MS = 50;
const MAX_MARKS = 200;

/** The requests sent from one pause to the next. Times in milliseconds. */
export class SendPeriod {
	lastAt: number;
	/** Requests that the service took, as far as is known. */
	taken = 0;
	refused = 0;
	/** When the first refused one was sent: the service had nothing left to give. */
	refusedAt = 0;
	/** How many requests had been sent, at some times. */
	private readonly marks: Array<{ at: number; sent: number }> = [];

	/**
	 * @param credit requests that could be sent at once when it began
	 * @param emptyAt when the service had nothing left to give, before the pause
	 */
	constructor(
		private readonly openedAt: number,
		readonly credit = Infinity,
		readonly emptyAt = openedAt,
	) {
		this.lastAt = openedAt;
	}

	get isOver(): boolean {
		return this.refused > 0;
	}

	send(now: number): void {
		if (now - (this.marks.at(-1)?.at ?? -Infinity) >= MARK_MS)
			this.marks.push({ at: now, sent: this.taken });
		if (this.marks.length > MAX_MARKS) this.marks.shift();
		this.lastAt = now;
		this.taken += 1;
	}

	/** A refusal that says nothing about the rate: as if it had not been sent. */
	excuse(): void {
		this.taken -= 1;
	}

	refuse(sentAt: number): void {
		if (this.refused === 0) this.refusedAt = sentAt;
		this.refused += 1;
		this.taken -= 1;
	}

	/** How many requests were taken recently, and in how many milliseconds. */
	get recent(): { taken: number; ms: number } {
		const [from = { at: this.lastAt, sent: 0 }] = this.marks;
		return { taken: Math.max(1, this.taken - from.sent), ms: this.lastAt - from.at };
	}

	/** The lowest rate, in requests per millisecond, of a bucket that held so many, and gave so many more than were taken. */
	leastRate(held: number, more: number): number {
		const all = [{ at: this.openedAt, sent: 0 }, ...this.marks];
		const rates = all.map(
			({ at, sent }) => (this.taken + more - sent - held) / Math.max(MARK_MS, this.lastAt - at),
		);
		return Math.max(...rates);
	}
}
