const SECOND_MS = 1_000;
/** How often at most the number of requests is noted, and how many notes are kept: at least the last 10 s. */
const MARK_MS = 50;
const MAX_MARKS = 200;

interface Mark {
	at: number;
	/** Requests of this period that were sent before. */
	sent: number;
}

/** The requests sent from one pause to the next. */
export class SendPeriod {
	lastAt: number;
	refused = 0;
	/** Requests that were sent after the first refused one, before its response arrived. */
	sentAlong = 0;
	/** Nothing was taken while others were in flight: their number may be the reason. */
	isOfNumber = false;
	private sent = 0;
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
		return this.sent - this.refused;
	}

	/** How many requests were taken recently, and in how many milliseconds. */
	get recent(): { taken: number; ms: number } {
		const [from] = this.marks;
		if (from === undefined) return { taken: 1, ms: 0 };
		return { taken: Math.max(1, this.taken - from.sent), ms: this.lastAt - from.at };
	}

	/** @returns which request of the period it is */
	send(now: number): number {
		const last = this.marks.at(-1);
		if (last === undefined || now - last.at >= MARK_MS) {
			this.marks.push({ at: now, sent: this.sent });
			if (this.marks.length > MAX_MARKS) this.marks.shift();
		}
		this.sent += 1;
		this.lastAt = now;
		return this.sent;
	}

	/** A refusal that says nothing about the rate: as if it had not been sent. */
	excuse(): void {
		this.sent -= 1;
	}

	/**
	 * @param number which request of the period it was
	 * @param older requests in flight that were sent earlier
	 */
	refuse(number: number, older: number): void {
		if (this.refused === 0) this.sentAlong = this.sent - number;
		this.isOfNumber ||= this.taken === 1 && older > 0;
		this.refused += 1;
	}

	/** From the pause before to the last request. */
	get seconds(): number {
		return (this.lastAt - this.openedAt) / SECOND_MS;
	}

	/** The whole seconds until `end`: a service rounds its pauses up to whole seconds. */
	secondsUntil(end: number): number {
		return Math.max(1, Math.floor((end - this.openedAt) / SECOND_MS));
	}

	/** Requests per second taken since the service had nothing left to give. It gives at least that many. */
	get flow(): number {
		return (this.taken * SECOND_MS) / Math.max(1, this.lastAt - this.emptyAt);
	}

	/** How many tokens a bucket must have held to take this period's requests, and so many more, if it refills at this rate. */
	depth(rate: number, more = 0): number {
		const depths = [{ at: this.openedAt, sent: 0 }, ...this.marks].map(
			({ at, sent }) => this.taken + more - sent - (rate * (this.lastAt - at)) / SECOND_MS,
		);
		return Math.max(1, ...depths);
	}
}
