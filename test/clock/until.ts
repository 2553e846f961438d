import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** What happens within the process needs fewer turns; another process gets the processor after so many, now and then. */
const TURNS = 10_000;
const TURNS_BETWEEN_PAUSES = 50;
const PAUSE_MS = 10;
/** Longer than any wait in a test, also on a busy machine. */
const TIMEOUT_MS = 90_000;

/** Waits until the condition is true, in real time. Throws after a timeout. */
export async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + TIMEOUT_MS;
	for (let turns = 0; !condition(); turns += 1) {
		if (performance.now() > deadline) throw new Error(`Timed out waiting for: ${condition}`);
		await (turns < TURNS || turns % TURNS_BETWEEN_PAUSES > 0 ? turn() : sleep(PAUSE_MS));
	}
}

/** Stops an execution once the condition is true. @returns what it ends with */
export async function stopWhen<Result>(
	condition: () => boolean,
	execute: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const stop = new AbortController();
	const running = execute(stop.signal);
	await until(condition);
	stop.abort();
	return await running;
}
