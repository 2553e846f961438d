/** The number of requests is noted once in this time, and the last notes are kept: those of ten seconds or more. */
const NOTE_MS = 50;
const MAX_NOTES = 200;

/** The requests that were sent between two pauses. Times in milliseconds. */
export class SendPeriod {
	lastAt = 0;
	/** Requests that the service has not refused. */
	taken = 0;
	refused = 0;
	/** When the first refused request was sent: then the bucket was empty. */
	refusedAt = 0;
	/** How many requests had been sent at some times. */
	private readonly notes: Array<{ at: number; sent: number }> = [];

	/**
	 * @param credit requests that could be sent at once when the period began
	 * @param emptyAt when the bucket was empty before that
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

	/** A request says nothing about the rate, as if it had not been sent. */
	uncount(): void {
		this.taken -= 1;
	}

	refuse(sentAt: number): void {
		if (this.refused === 0) this.refusedAt = sentAt;
		this.refused += 1;
		this.taken -= 1;
	}

	/** The requests taken since the oldest note, and the milliseconds since then. */
	get recent(): { taken: number; ms: number } {
		const [{ at, sent } = { at: this.lastAt, sent: 0 }] = this.notes;
		return { taken: Math.max(1, this.taken - sent), ms: this.lastAt - at };
	}

	/** The lowest rate of a bucket that gives so many requests, whenever it was full in this period; per millisecond. */
	rateToGive(requests: number, held: number): number {
		const rateSince = ({ at, sent }: { at: number; sent: number }) =>
			(requests - sent - held) / Math.max(NOTE_MS, this.lastAt - at);
		return Math.max(...this.notes.map(rateSince));
	}
}
