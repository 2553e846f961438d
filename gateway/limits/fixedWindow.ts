/** On its way to the service one request may be faster than another by this part of a window. */
const SLACK = 0.01;
/** After so many windows the limit is looked for anew: it may have been raised. */
const KEPT_WINDOWS = 30;

/** A service that takes so many requests in each window of time, as fast as they come. Within any such time no more pass. */
export class FixedWindow {
	private readonly keptUntil: number;

	/** @param passed when the last ones passed */
	constructor(
		private readonly requests: number,
		private ms: number,
		private readonly passed: number[],
		now: number,
	) {
		this.keptUntil = now + KEPT_WINDOWS * ms;
	}

	/** Milliseconds until the next request may be sent. */
	msUntilNext(now: number): number {
		const oldest = this.passed.at(-this.requests);
		return oldest === undefined ? 0 : Math.max(0, oldest + this.ms * (1 + SLACK) - now);
	}

	isOutdated(now: number): boolean {
		return now > this.keptUntil;
	}

	send(now: number): void {
		this.passed.push(now);
		if (this.passed.length > this.requests) this.passed.shift();
	}

	/**
	 * The service refused the last requests, and asked for a pause.
	 * @returns whether that only means that its windows are a little longer, as pauses in whole seconds may hide
	 */
	lengthen(pause: number, refused: number): boolean {
		if (pause > this.ms / 2) return false;
		this.ms += pause;
		this.passed.splice(-refused);
		return true;
	}
}
