import { systemClock } from '../../../gateway';

test('a pause ends by itself, or at once when the execution is stopped', async () => {
	const stop = new AbortController();
	await systemClock.sleep(1);
	await systemClock.sleep(1, stop.signal);
	const stopped = systemClock.sleep(3_600_000, stop.signal);
	stop.abort();
	await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
	await expect(systemClock.sleep(1, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
});
