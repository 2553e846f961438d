import { systemClock } from '../../gateway';

// The tests of nodes replace this clock with their own.
test('Stop ends a pause at once', async () => {
	const stop = new AbortController();
	await systemClock.sleep(1, stop.signal);
	const paused = systemClock.sleep(3_600_000, stop.signal);
	stop.abort();
	await expect(paused).rejects.toMatchObject({ code: 'cancelled' });
});
