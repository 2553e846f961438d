import type { GatewayError } from '../errors/gatewayError';
import { backoff, pauseAfter } from '../limits/verdict';

/** A poll that fails is repeated for this long: without a response nothing is known of the task… */
const MAX_FAILED_MS = 60_000;
/** …and the pauses that the service asks for are waited for, up to this. Time in our own queues does not count. */
const MAX_PAUSES_MS = 300_000;
/** How long a poll that was sent before Max Wait, or before that minute, is over may take to respond after it. */
export const GRACE_MS = 10_000;

/** The polls of a task after Max Wait: the first that is answered tells whether it is unfinished. */
export class FinalPolls {
	private failures = 0;
	private failedMs = 0;
	private pausesMs = 0;

	/** How long the next one may wait for a response. */
	get responseMs(): number {
		return Math.max(GRACE_MS, MAX_FAILED_MS - this.failedMs);
	}

	/** When to repeat one that failed; undefined: no more. */
	retryIn(failure: GatewayError, tookMs: number): number | undefined {
		// During a longer pause than one waits for, polls are sent all the same.
		const { retryAfterMs = Infinity } = failure;
		const asked = retryAfterMs <= MAX_PAUSES_MS ? pauseAfter(failure, 0) : undefined;
		this.failedMs += tookMs;
		this.pausesMs += asked ?? 0;
		if (this.failedMs >= MAX_FAILED_MS || this.pausesMs > MAX_PAUSES_MS) return undefined;
		if (asked !== undefined) return asked;
		// The last one when the minute is over, not a backoff before.
		const pause = Math.min(backoff(this.failures), MAX_FAILED_MS - this.failedMs);
		this.failures += 1;
		this.failedMs += pause;
		return pause;
	}
}
