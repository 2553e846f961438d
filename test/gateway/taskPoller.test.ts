import { TaskPoller, type VideoTask } from '../../gateway';
import { VirtualClock } from './virtualClock';

const INTERVAL = 5_000;

/** Waits for many tasks that were submitted one after the other. */
async function waitForMany(count: number, maxWaitMs: (task: number) => number) {
	const clock = new VirtualClock();
	const begin = clock.now();
	const looks = new Map<string, number[]>();
	const look = async (id: string): Promise<VideoTask> => {
		const at = clock.now() - begin;
		looks.set(id, [...(looks.get(id) ?? []), at]);
		return await Promise.resolve({ id, status: at >= 60_000 ? 'completed' : 'processing' });
	};
	const watch = new TaskPoller(look, undefined, clock);
	const waits = Array.from({ length: count }, async (_, task) => {
		await clock.sleep(7 * task);
		const settings = { polling: 'fixed' as const, pollIntervalMs: INTERVAL, firstLookMs: INTERVAL };
		return await watch.wait(
			{ id: String(task), status: 'processing' },
			{ ...settings, maxWaitMs: maxWaitMs(task) },
		);
	});
	const outcomes = await clock.run(Promise.allSettled(waits));
	return { outcomes, looks: [...looks.values()], timers: clock.timers };
}

test('a thousand tasks are looked at every five seconds each, in a few rounds', async () => {
	const { outcomes, looks, timers } = await waitForMany(1_000, () => 600_000);
	expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
	const gaps = looks.flatMap((times) => times.slice(1).map((at, look) => at - (times[look] ?? 0)));
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.98 * INTERVAL);
	expect(Math.max(...gaps)).toBeLessThanOrEqual(1.02 * INTERVAL);
	expect(new Set(looks.flat()).size).toBeLessThan(1_000);
	expect(looks.flat().length).toBeGreaterThan(10_000);
	expect(timers).toBe(0);
});

test('a task whose wait is over is looked at no more, and those of its round are', async () => {
	const { outcomes, looks } = await waitForMany(10, (task) => (task < 5 ? 22_000 : 600_000));
	expect(outcomes.map(({ status }) => status)).toEqual([
		...Array<string>(5).fill('rejected'),
		...Array<string>(5).fill('fulfilled'),
	]);
	for (const times of looks.slice(0, 5)) expect(Math.max(...times)).toBeLessThan(23_000);
	for (const times of looks.slice(5)) expect(Math.max(...times)).toBeGreaterThanOrEqual(60_000);
});
