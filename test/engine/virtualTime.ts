import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../gateway';
import { VirtualClock } from '../gateway/virtualClock';

/** Puts a clock that stands still in the place of the gateway's; it runs on only when told to. */
export function virtualTime(): { clock: VirtualClock; restore: () => void } {
	const real = { ...systemClock };
	const clock = new VirtualClock();
	Object.assign(systemClock, { now: clock.now, sleep: clock.sleep, after: clock.after });
	return { clock, restore: () => Object.assign(systemClock, real) };
}

/** Longer than anything that a test waits for. */
const PATIENCE_MS = 20_000;

/** Resolves when the condition holds; sockets go on meanwhile, virtual time does not. Throws when it never does. */
export async function until(condition: () => boolean): Promise<void> {
	const givenUp = performance.now() + PATIENCE_MS;
	while (!condition()) {
		if (performance.now() > givenUp) throw new Error(`This never came: ${condition}`);
		await turn();
	}
}
