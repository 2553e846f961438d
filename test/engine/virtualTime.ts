import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../gateway';
import { VirtualClock } from '../gateway/virtualClock';

/** Replaces the gateway's clock with one that only advances when a test says so. */
export function virtualTime(): { clock: VirtualClock; restore: () => void } {
	const real = { ...systemClock };
	const clock = new VirtualClock();
	const { now, wallTime, sleep, after } = clock;
	Object.assign(systemClock, { now, wallTime, sleep, after });
	return { clock, restore: () => Object.assign(systemClock, real) };
}

/** Longer than any wait in a test. */
const TIMEOUT_MS = 20_000;

/** Waits until the condition is true, in real time. Throws after a timeout. */
export async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + TIMEOUT_MS;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`Timed out waiting for: ${condition}`);
		await turn();
	}
}
