import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from './errors/gatewayError';
import { type WallTime, wallTimeOf } from './wallTime';

/** The longest delay of a Node.js timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * All waits use this clock, so that tests can run minutes in milliseconds. `now` measures how long something takes, and
 * `wallTime` is for times that n8n, the service and other processes read, too.
 */
export interface Clock {
	/**
	 * Milliseconds since some moment in this process, for timeouts, backoff and the rate limiter. They never jump, and stand
	 * still while a Linux host sleeps.
	 */
	now(): number;
	/** The time of the host's clock, which may jump: to store, to tell n8n, to compare with times of the service. */
	wallTime(): WallTime;
	/** Resolves after `ms`, or rejects at once with a CancelledError when `signal` is aborted. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Runs `action` after `ms` unless the returned function was called before. */
	after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
	now: () => performance.now(),

	wallTime: () => wallTimeOf(Date.now()),

	async sleep(ms, signal) {
		const bounded = Math.min(Math.max(ms, 0), MAX_TIMER_MS);
		await delay(bounded, undefined, signal ? { signal } : {}).catch(() => {
			throw new CancelledError();
		});
	},

	after(ms, action) {
		const timer = setTimeout(action, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
		return () => clearTimeout(timer);
	},
};

/** Gives other work of the process its turn. */
export async function nextTurn(): Promise<void> {
	await turn();
}
