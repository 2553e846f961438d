import { saysNotReady } from '../../gateway/dialects';

test.each([
	'Task is not completed yet, current status: NOT_START',
	'Video is not ready yet',
	'The video has not been found. It is still being processed.',
	'Content not yet available',
	'task not finished',
])('comes later: %s', (words) => expect(saysNotReady(words)).toBe(true));

test.each([
	'The URL has expired',
	'Not available in your region',
	'No such key',
	'Not allowed',
	'',
])('does not come: %s', (words) => expect(saysNotReady(words)).toBe(false));
