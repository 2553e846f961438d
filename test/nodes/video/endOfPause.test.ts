import { later, msBetween, wallTimeOf } from '../../../gateway';
import type { PaidTask } from '../../../nodes/shared/book/schema';
import { endOfPause, MIN_WAIT_MS } from '../../../nodes/VideoGeneration/wait';

const NOW = wallTimeOf(1_000_000);

function pause(
	given: Pick<Partial<PaidTask>, 'seen' | 'deadline'> & {
		interval?: number;
		polling?: 'fixed' | 'adaptive';
		progress?: number;
	},
	random = 0,
): number {
	const {
		interval = 5,
		polling = 'fixed',
		progress,
		seen,
		deadline = later(NOW, 3_600_000),
	} = given;
	const onTimeout = 'error' as const;
	const waitOptions = { interval: 1000 * interval, polling, maxWaitMs: 3_600_000, onTimeout };
	const latest = { id: 'a', status: 'processing', progress };
	const task = { state: 'open' as const, latest, deadline, ...(seen && { seen }) };
	const entry = { item: 0, tasks: [task], waitOptions };
	return msBetween(NOW, endOfPause(NOW, [{ entry, task }], random)) / 1000;
}

test('a pause lasts at least 65 seconds, with jitter between executions', () => {
	expect(pause({})).toBe(65);
	expect(pause({}, 0.99)).toBeCloseTo(69.95);
});

test('a pause lasts as long as a longer poll interval', () => {
	expect(pause({ interval: 300 })).toBe(300);
});

test('a pause ends at Max Wait', () => {
	expect(pause({ interval: 300, deadline: later(NOW, 100_000) })).toBe(100);
	expect(pause({ deadline: later(NOW, MIN_WAIT_MS) }, 1)).toBe(70);
});

test('with adaptive polling, a pause ends when the progress predicts the end', () => {
	const seen = { at: later(NOW, -100_000), progress: 10 };
	expect(pause({ polling: 'adaptive', seen, progress: 20 })).toBeGreaterThan(200);
	expect(pause({ polling: 'adaptive', seen, progress: 95 })).toBe(65);
	expect(pause({ polling: 'fixed', seen, progress: 20 })).toBe(65);
	// In its queue.
	expect(pause({ polling: 'adaptive', progress: 20 })).toBe(65);
	expect(pause({ polling: 'adaptive', seen: { at: NOW, progress: 0 }, progress: 0 })).toBe(65);
});
