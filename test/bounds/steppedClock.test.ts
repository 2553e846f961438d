import {
	later,
	NoResponseError,
	type VideoTask,
	type WaitedTask,
	waitForTask,
} from '../../gateway';
import { VirtualClock } from '../clock/virtualClock';

const INTERVAL_MS = 5_000;
const MAX_WAIT_MS = 60_000;
const PAUSE_MS = 65_000;
const HOUR_MS = 3_600_000;

const processing: VideoTask = { id: 't', status: 'processing' };

/** Waits for a task that is never finished, while the host's clock is set. */
async function waitWhile(
	clock: VirtualClock,
	task: Omit<WaitedTask, 'latest'>,
	more: Partial<Parameters<typeof waitForTask>[0]> = {},
) {
	const start = clock.now();
	const polls: number[] = [];
	const waited: WaitedTask = { latest: processing, submitted: processing, ...task };
	const get = async () => {
		polls.push(clock.now() - start);
		return await Promise.resolve(processing);
	};
	const settings = { interval: INTERVAL_MS, maxWaitMs: MAX_WAIT_MS, task: waited, get, ...more };
	const waiting = waitForTask(settings, clock);
	const [outcome] = await clock.run(Promise.allSettled([waiting]));
	return { outcome, polls, task: waited, tookMs: clock.now() - start };
}

test.each([
	['back an hour', -HOUR_MS, MAX_WAIT_MS],
	['back a day', -24 * HOUR_MS, MAX_WAIT_MS],
	['forward an hour', HOUR_MS, 15_000],
])('a wait in memory ends by the first of both clocks when one is set %s', async (...row) => {
	const [, stepMs, endsMs] = row;
	const clock = new VirtualClock();
	clock.after(12_000, () => clock.stepWallClock(stepMs));
	const { outcome, polls, tookMs } = await waitWhile(clock, {
		deadline: later(clock.wallTime(), MAX_WAIT_MS),
	});
	expect(outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
	expect(tookMs).toBeLessThanOrEqual(endsMs);
	expect(polls).toEqual(
		Array.from({ length: endsMs / INTERVAL_MS + 1 }, (_, n) => n * INTERVAL_MS),
	);
});

test('after a pause, a poll that is due in an hour comes after an interval, and Max Wait begins anew at most', async () => {
	const clock = new VirtualClock();
	const [due, deadline] = [HOUR_MS, HOUR_MS + 30_000].map((ms) => later(clock.wallTime(), ms));
	const { outcome, polls, tookMs } = await waitWhile(clock, { due, deadline });
	expect(outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
	expect(polls[0]).toBeLessThan(1.3 * INTERVAL_MS);
	expect(tookMs).toBeLessThanOrEqual(MAX_WAIT_MS);
});

test('the next pause after the clock was set back is no longer than any other, and keeps what is left of Max Wait', async () => {
	const clock = new VirtualClock();
	clock.after(1, () => clock.stepWallClock(-HOUR_MS));
	const maxWaitMs = 10 * MAX_WAIT_MS;
	const get = async () => {
		await clock.sleep(10);
		return processing;
	};
	const pauses = { shortest: PAUSE_MS, allow: () => true };
	const deadline = later(clock.wallTime(), maxWaitMs);
	const { outcome, task } = await waitWhile(clock, { deadline }, { maxWaitMs, pauses, get });
	expect(outcome).toEqual({ status: 'fulfilled', value: undefined });
	expect(task.due).toBe(later(clock.wallTime(), PAUSE_MS));
	expect(task.deadline).toBe(later(clock.wallTime(), maxWaitMs - 10));
});

test('the last poll is repeated for a minute, also when the clock is set back meanwhile', async () => {
	const clock = new VirtualClock();
	clock.after(MAX_WAIT_MS + 12_000, () => clock.stepWallClock(-HOUR_MS));
	const fails = new NoResponseError({ message: 'Lost', advice: '', code: 'connection_lost' });
	const get = async () => await Promise.reject<VideoTask>(fails);
	const deadline = later(clock.wallTime(), MAX_WAIT_MS);
	const { outcome, tookMs } = await waitWhile(clock, { deadline }, { get });
	expect(outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
	expect(tookMs).toBeLessThanOrEqual(MAX_WAIT_MS + 2 * 60_000);
});
