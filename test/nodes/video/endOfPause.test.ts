import { later, msBetween, wallTimeOf } from '../../../gateway';
import { msUntilPoll, type Pace } from '../../../gateway/video/pollSchedule';
import type { WaitedTask } from '../../../gateway/video/waitedTask';
import { endOfPause, MIN_WAIT_MS } from '../../../nodes/VideoGeneration/tasks/wait';

const NOW = wallTimeOf(1_000_000);
const inSeconds = (seconds: number) => later(NOW, 1000 * seconds);

/** The seconds that a pause lasts, for tasks that are due after so many. */
function pause(due: number[], { random = 0, maxWait = 3_600 } = {}): number {
	const tasks = due.map((seconds) => ({
		latest: { id: 'a', status: 'processing' },
		due: inSeconds(seconds),
		deadline: inSeconds(maxWait),
	}));
	return msBetween(NOW, endOfPause(NOW, tasks, random)) / 1000;
}

test('a pause lasts at least 65 seconds, with jitter between executions', () => {
	expect(pause([5])).toBe(65);
	expect(pause([65], { random: 0.99 })).toBeCloseTo(69.95);
});

test('a pause lasts until the first of its tasks is due', () => {
	expect(pause([300, 200, 400])).toBe(200);
});

test('a pause ends at Max Wait', () => {
	expect(pause([300], { maxWait: 100 })).toBe(100);
	expect(pause([65], { maxWait: MIN_WAIT_MS / 1000, random: 1 })).toBe(70);
});

test('between pauses, adaptive polling polls when the progress predicts the end', () => {
	const next = (polling: Pace['polling'], progress: number, from?: number) => {
		const latest = { id: 'a', status: 'processing', progress };
		const first = from === undefined ? [] : [{ at: inSeconds(-100), progress: from }];
		const task: WaitedTask = { latest, samples: [...first, { at: NOW, progress }] };
		return msUntilPoll(task, latest, { polling, interval: 5_000, shortest: 65_000 }, 3_600_000);
	};
	expect(next('adaptive', 20, 10)).toBeGreaterThan(200_000);
	expect(next('adaptive', 95, 10)).toBe(65_000);
	expect(next('adaptive', 20)).toBe(65_000);
	// A video that takes a minute is noticed in time.
	expect(next('adaptive', 0)).toBe(65_000);
	expect(next('fixed', 20, 10)).toBe(65_000);
});
