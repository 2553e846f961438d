/** Latency may vary between requests by this part of a window. */
const SLACK = 0.01;
/** Trials are not sent together with the requests before. */
const APART_MS = 1;

/**
 * A service that takes a number of requests in each window, however fast. When they are used up, one more is tried: the
 * limit may be raised, and another process with the same key may need less of it.
 */
export class FixedWindow {
	/** Requests beyond the number that may be sent now. */
	private trials = 1;
	/** Whether the last request was a trial. */
	isTrying = false;
	/** When the last requests were sent, at most the number. */
	private readonly sent: number[] = [];

	constructor(
		private readonly requests: number,
		private readonly ms: number,
	) {}

	/** Milliseconds until the next request may be sent. */
	msUntilNext(now: number): number {
		const rest = this.rest(now);
		const last = this.sent.at(-1) ?? -Infinity;
		return this.trials > 0 ? Math.min(rest, Math.max(0, last + APART_MS - now)) : rest;
	}

	send(now: number): void {
		this.isTrying = this.rest(now) > 0;
		this.trials = Math.max(1, this.trials) - (this.isTrying ? 1 : 0);
		this.sent.push(now);
		if (this.sent.length > this.requests) this.sent.shift();
	}

	/** The service took a trial, which allows two more: at once, or in the next window if its response came late. */
	acceptTrial(): void {
		this.trials += 2;
	}

	/** Milliseconds until fewer requests than the number were sent within one window. */
	private rest(now: number): number {
		const oldest = this.sent.at(-this.requests);
		return oldest === undefined ? 0 : Math.max(0, oldest + this.ms * (1 + SLACK) - now);
	}
}
