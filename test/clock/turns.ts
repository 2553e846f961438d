import { setImmediate as turn } from 'node:timers/promises';

/** Lets so many turns of the event loop pass: what was sent arrives, and undici takes a connection back. */
export async function turns(count: number): Promise<void> {
	for (let passed = 0; passed < count; passed += 1) await turn();
}
