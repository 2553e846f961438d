import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_MS = 60_000;

/** Waits for something that is not to be seen. */
export async function until(
	happened: () => boolean | Promise<boolean>,
	longestMs = LONGEST_MS,
): Promise<void> {
	const deadline = Date.now() + longestMs;
	while (!(await happened())) {
		if (Date.now() > deadline) throw new Error(`Timed out waiting for ${happened.toString()}`);
		await pause(100);
	}
}
