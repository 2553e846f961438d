import { systemClock } from '../../gateway';

/**
 * Speeds up the gateway's clock `factor` times: polls, backoff, the rate limiter and timeouts. Timeouts must stay long
 * compared with the real work of a test: at 1000, 300 seconds take 0.3. A simulator started with
 * `{ now: () => systemClock.now() }` runs on the same clock.
 * @returns a function that restores the clock
 */
export function fastTime(factor = 1000): () => void {
	const real = { ...systemClock };
	const start = real.now();
	Object.assign(systemClock, {
		now: () => start + (real.now() - start) * factor,
		sleep: (ms: number, signal?: AbortSignal) => real.sleep(ms / factor, signal),
		after: (ms: number, action: () => void) => real.after(ms / factor, action),
	} satisfies typeof systemClock);
	return () => Object.assign(systemClock, real);
}
