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

/** Resolves when the condition holds; sockets go on meanwhile, virtual time does not. */
export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await turn();
}
