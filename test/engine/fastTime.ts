import { systemClock } from '../../gateway';

/**
 * Lets everything that waits by the gateway's clock wait `factor` times shorter: polls, back-offs, the rate limiter and
 * timeouts. A timeout must therefore stay long against what the test really does: at 1000, 300 seconds are 0.3.
 * A simulator started with `{ now: () => systemClock.now() }` lives in the same time.
 * @returns what restores the clock
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
