import { formatDuration, formatSeconds } from '../../gateway/errors/duration';

test.each([
	[1_000, '1 second'],
	[500, '0.5 seconds'],
	[1_500, '1.5 seconds'],
	[600_000, '600 seconds'],
])('a limit of %d ms is shown as %s', (ms, expected) => {
	expect(formatSeconds(ms)).toBe(expected);
});

test.each([
	[1, '1 second'],
	[1_001, '2 seconds'],
	[119_500, '120 seconds'],
	[120_000, '2 minutes'],
	[121_000, '3 minutes'],
	[7_200_000, '2 hours'],
	[7_200_001, '3 hours'],
	[172_800_000, '2 days'],
	[172_800_001, '3 days'],
])('a pause of %d ms is rounded up to %s', (ms, expected) => {
	expect(formatDuration(ms)).toBe(expected);
});
