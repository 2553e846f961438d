import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;

/** Polls a condition until it holds. */
export async function until(
	condition: () => boolean | Promise<boolean>,
	timeoutMs = TIMEOUT_MS,
): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error(`Timed out waiting for ${condition.toString()}`);
		await pause(100);
	}
}
