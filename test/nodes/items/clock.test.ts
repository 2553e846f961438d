import { systemClock } from '../../../gateway';

test('a pause ends by itself, or at once when the execution is stopped', async () => {
	const stop = new AbortController();
	await systemClock.sleep(1);
	const stopped = systemClock.sleep(3_600_000, stop.signal);
	await systemClock.sleep(1, stop.signal);
	stop.abort();
	await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
	await expect(systemClock.sleep(1, stop.signal)).rejects.toMatchObject({ code: 'cancelled' });
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
