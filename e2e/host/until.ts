import { setTimeout as pause } from 'node:timers/promises';
import { patience } from './patience';

const TIMEOUT_MS = 60_000;

/** Polls a condition until it holds, on a busy machine for longer. */
export async function until(
	condition: () => boolean | Promise<boolean>,
	timeoutMs = TIMEOUT_MS,
): Promise<void> {
	const start = Date.now();
	while (!(await condition())) {
		if (Date.now() > start + timeoutMs * patience())
			throw new Error(`Timed out waiting for ${condition.toString()}`);
		await pause(100);
	}
}
