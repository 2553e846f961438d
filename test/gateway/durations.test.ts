import { WaitTimeoutError } from '../../gateway';
import { timeoutError } from '../../gateway/http/networkError';
import { formatDuration, formatSeconds } from '../../gateway/errors/texts';

test.each([
	[1_000, '1 second'],
	[500, '0.5 seconds'],
	[1_500, '1.5 seconds'],
	[600_000, '600 seconds'],
])('a limit of %d ms is shown as %s', (ms, expected) => {
	expect(formatSeconds(ms)).toBe(expected);
	expect(timeoutError(ms, false, 'response').message).toMatch(new RegExp(` within ${expected}$`));
	expect(timeoutError(ms, false, 'body').message).toMatch(new RegExp(` for ${expected}$`));
	const task = { id: 'task-1', status: 'queued' } as const;
	expect(new WaitTimeoutError(task, ms).message).toMatch(new RegExp(` after ${expected}$`));
});

test.each([
	[1, '1 second'],
	[1_001, '2 seconds'],
	[119_500, '120 seconds'],
	[121_000, '3 minutes'],
	[7_200_000, '2 hours'],
	[172_800_000, '2 days'],
])('a pause of %d ms is rounded up to %s', (ms, expected) => {
	expect(formatDuration(ms)).toBe(expected);
});
