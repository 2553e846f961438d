import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from './errors/gatewayError';
import { type WallTime, wallTimeOf } from './wallTime';

/** The longest delay of a Node.js timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * All waits use this clock, so that tests can run minutes in milliseconds. It has two faces: one that measures how long
 * something takes, and one that n8n, the service and other processes can read too.
 */
export interface Clock {
	/**
	 * Milliseconds since some moment in this process, for timeouts, backoff and the rate limiter. It never jumps, and stands
	 * still while a Linux host sleeps.
	 */
	now(): number;
	/** What the host's clock says: for all that is stored, told to n8n or compared with the service's times. It may jump. */
	wallTime(): WallTime;
	/** Resolves after `ms`; rejects at once with a CancelledError when `signal` is aborted. */
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

/** Lets other work of the process have its turn. */
export async function nextTurn(): Promise<void> {
	await turn();
}
