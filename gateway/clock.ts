import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from './errors/gatewayError';

/** The longest delay of a Node.js timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** All waits use this clock, so that tests can run minutes in milliseconds. */
export interface Clock {
	/** Milliseconds since the Unix epoch, never running backwards. */
	now(): number;
	/** Resolves after `ms`; rejects at once with a CancelledError when `signal` is aborted. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Runs `action` after `ms` unless the returned function was called before. */
	after(ms: number, action: () => void): () => void;
}

/** Read once: it is used several times per request. */
const { timeOrigin } = performance;

export const systemClock: Clock = {
	now: () => timeOrigin + performance.now(),

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

/** Many waits of one execution listen to its one signal, which Node.js before 22 reports as a leak. */
export function allowManyListeners(signal: AbortSignal): void {
	setMaxListeners(0, signal);
}
