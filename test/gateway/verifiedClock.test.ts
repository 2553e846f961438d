import { systemClock } from '../../gateway/verified/clock';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Timers of the verified build, and what they write when they fire. */
function timers() {
	const fired: string[] = [];
	const start = (name: string, ms: number, then = () => {}) =>
		systemClock.after(ms, () => {
			fired.push(name);
			then();
		});
	return { fired, start };
}

test('timers that share a sleep fire at their own times, whatever their order', async () => {
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

test('a timer that is stopped does not fire, also by another that is due with it, and leaves nothing behind', async () => {
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

test('a timer of no time that an action starts fires in a later turn', async () => {
	const { fired, start } = timers();
	const turns: string[][] = [];
	start('first', 1_000, () => {
		start('second', 0);
		queueMicrotask(() => turns.push([...fired]));
	});
	await jest.advanceTimersByTimeAsync(1_000);
	expect(turns).toEqual([['first']]);
	await jest.advanceTimersByTimeAsync(1);
	expect(fired).toEqual(['first', 'second']);
});
