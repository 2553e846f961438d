import { epochMs, later, systemClock } from '../../gateway';

/**
 * Speeds up the gateway's clock `factor` times: polls, backoff, the rate limiter and timeouts. Timeouts must stay long
 * compared with the real work of a test: at 1000, 300 seconds take 0.3. A simulator started with
 * `{ now: wallMs }` runs on the same clock.
 * @returns a function that restores the clock
 */
export function fastTime(factor = 1000): () => void {
	const real = { ...systemClock };
	const start = real.now();
	const startedAt = real.wallTime();
	const passed = () => (real.now() - start) * factor;
	Object.assign(systemClock, {
		now: () => start + passed(),
		wallTime: () => later(startedAt, passed()),
		sleep: (ms: number, signal?: AbortSignal) => real.sleep(ms / factor, signal),
		after: (ms: number, action: () => void) => real.after(ms / factor, action),
	} satisfies typeof systemClock);
	return () => Object.assign(systemClock, real);
}

/** The gateway's time in milliseconds since the Unix epoch, also for a simulator that runs on the same clock. */
export const wallMs = () => epochMs(systemClock.wallTime());
