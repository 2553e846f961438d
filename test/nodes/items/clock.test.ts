import { getEventListeners } from 'node:events';
import { systemClock } from '../../../gateway';
import { systemClock as verifiedClock } from '../../../gateway/verified/clock';

/** As n8n-workflow has it up to 2.35. */
async function sleepWithAbort(ms: number, signal: AbortSignal): Promise<void> {
	await new Promise((resolve, reject) => {
		const timeout = setTimeout(resolve, ms);
		const stop = () => {
			clearTimeout(timeout);
			reject(new Error());
		};
		signal.addEventListener('abort', stop, { once: true });
	});
}

test('a pause ends by itself, or at once when the execution is stopped', async () => {
	const stop = new AbortController();
	await systemClock.sleep(1);
	const stopped = systemClock.sleep(3_600_000, stop.signal);
	await systemClock.sleep(1, stop.signal);
	stop.abort();
	await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
	await expect(systemClock.sleep(1, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
});

test('a pause leaves nothing at the signal, also with the sleep of older versions of n8n', async () => {
	jest.doMock('n8n-workflow', () => ({ sleepWithAbort }));
	jest.resetModules();
	const { systemClock: olderClock } = jest.requireActual<{ systemClock: typeof systemClock }>(
		'../../../gateway/verified/clock',
	);
	const { signal } = new AbortController();
	for (const clock of [systemClock, olderClock]) await clock.sleep(1, signal);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a time limit ends what takes longer, and nothing that has ended before', async () => {
	const ended: string[] = [];
	systemClock.after(1, () => ended.push('longer'));
	systemClock.after(1, () => ended.push('before'))();
	const stop = systemClock.after(3_600_000, () => ended.push('in time'));
	await systemClock.sleep(2);
	stop();
	expect(ended).toEqual(['longer']);
});

// In the verified build all timers share one sleep of n8n. Repeated there, the first clock is the one that was built.
describe.each([
	['this build', systemClock],
	['the verified build', verifiedClock],
])('the timers of %s', (_build, clock) => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	/** Starts timers, and tells which have fired. */
	function timers() {
		const fired: string[] = [];
		const start = (name: string, ms: number, then = () => {}) =>
			clock.after(ms, () => {
				fired.push(name);
				then();
			});
		return { fired, start };
	}

	test('fire at their own times, also one that is set later and due sooner', async () => {
		const { fired, start } = timers();
		start('late', 300_000);
		start('soon', 1_000);
		start('between', 60_000);
		await jest.advanceTimersByTimeAsync(998);
		expect(fired).toEqual([]);
		await jest.advanceTimersByTimeAsync(2);
		expect(fired).toEqual(['soon']);
		await jest.advanceTimersByTimeAsync(59_000);
		expect(fired).toEqual(['soon', 'between']);
		await jest.advanceTimersByTimeAsync(240_000);
		expect(fired).toEqual(['soon', 'between', 'late']);
	});

	test('do not fire once they are stopped, also by another that is due with them, and leave nothing behind', async () => {
		const { fired, start } = timers();
		start('first', 1_000, () => stopSecond());
		const stopSecond = start('second', 1_000);
		const stopThird = start('third', 5_000);
		await jest.advanceTimersByTimeAsync(1_000);
		stopThird();
		expect(jest.getTimerCount()).toBe(0);
		await jest.advanceTimersByTimeAsync(10_000);
		expect(fired).toEqual(['first']);
	});

	test('of no time that an action starts fire in a later turn', async () => {
		const { fired, start } = timers();
		const turns: string[][] = [];
		start('first', 1_000, () => {
			start('second', 0);
			queueMicrotask(() => turns.push([...fired]));
		});
		await jest.advanceTimersByTimeAsync(1_000);
		expect(turns[0]).toEqual(['first']);
		await jest.advanceTimersByTimeAsync(1);
		expect(fired).toEqual(['first', 'second']);
	});
});
