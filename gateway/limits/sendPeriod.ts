/** How often at most the number of requests is noted, and how many notes are kept: at least those of the last 10 s. */
const NOTE_MS = 50;
const MAX_NOTES = 200;

/** The requests sent from one pause to the next. Times in milliseconds. */
export class SendPeriod {
	lastAt = 0;
	/** Requests that the service took, as far as is known. */
	taken = 0;
	refused = 0;
	/** When the first refused one was sent: the bucket was empty. */
	refusedAt = 0;
	/** How many requests had been sent, at some times. */
	private readonly notes: Array<{ at: number; sent: number }> = [];

	/**
	 * @param credit requests that could be sent at once when it began
	 * @param emptyAt when the bucket was empty before the pause
	 */
	constructor(
		readonly credit = Infinity,
		readonly emptyAt = 0,
	) {}

	send(now: number): void {
		if (now - (this.notes.at(-1)?.at ?? -Infinity) >= NOTE_MS)
			this.notes.push({ at: now, sent: this.taken });
		if (this.notes.length > MAX_NOTES) this.notes.shift();
		this.lastAt = now;
		this.taken += 1;
	}

	/** The request says nothing about the rate: as if it had not been sent. */
	uncount(): void {
		this.taken -= 1;
	}

	refuse(sentAt: number): void {
		if (this.refused === 0) this.refusedAt = sentAt;
		this.refused += 1;
		this.taken -= 1;
	}

	/** How many requests were taken recently, and in how many milliseconds. */
	get recent(): { taken: number; ms: number } {
		const [{ at, sent } = { at: this.lastAt, sent: 0 }] = this.notes;
		return { taken: Math.max(1, this.taken - sent), ms: this.lastAt - at };
	}

	/** The lowest rate, in requests per millisecond, of a bucket that gives so many, whenever it was full in this period. */
	rateToGive(requests: number, held: number): number {
		const rateSince = ({ at, sent }: { at: number; sent: number }) =>
			(requests - sent - held) / Math.max(NOTE_MS, this.lastAt - at);
		return Math.max(...this.notes.map(rateSince));
	}
}
