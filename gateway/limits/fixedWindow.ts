/** Latency may vary between requests by this part of a window. */
const SLACK = 0.01;
/** After so many windows the limit is estimated again: it may have been raised. */
const KEPT_WINDOWS = 30;

/** A service that takes a number of requests in each window, however fast: no more are sent in any window. */
export class FixedWindow {
	private readonly keptUntil: number;

	/** @param sent when the last ones were sent */
	constructor(
		private readonly requests: number,
		private readonly ms: number,
		private readonly sent: number[],
		now: number,
	) {
		this.keptUntil = now + KEPT_WINDOWS * ms;
	}

	/** Milliseconds until the next request may be sent. */
	msUntilNext(now: number): number {
		const oldest = this.sent.at(-this.requests);
		return oldest === undefined ? 0 : Math.max(0, oldest + this.ms * (1 + SLACK) - now);
	}

	isOutdated(now: number): boolean {
		return now > this.keptUntil;
	}

	send(now: number): void {
		this.sent.push(now);
		if (this.sent.length > this.requests) this.sent.shift();
	}
}
