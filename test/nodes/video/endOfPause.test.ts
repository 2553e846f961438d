import { later, msBetween, wallTimeOf } from '../../../gateway';
import { MIN_WAIT_MS } from '../../../nodes/VideoGeneration/tasks/settle';
import { endOfPause } from '../../../nodes/VideoGeneration/tasks/wait';

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
