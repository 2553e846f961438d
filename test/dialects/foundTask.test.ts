import { taskFrom } from '../../gateway/dialects';

const asked = { ids: ['42'], url: 'https://service.test/v1/video/generations/42' };
const url = 'https://files.test/clip.mp4';
const done = { status: 'completed', url };

test.each<[string, object, object | undefined]>([
	[
		'its own task, not one whose progress is its ID',
		{
			tasks: [
				{ id: 7, progress: 42, status: 'processing' },
				{ id: 42, ...done },
			],
		},
		done,
	],
	[
		'its own task, not the first of a list',
		{
			tasks: [
				{ id: '7', status: 'failed' },
				{ id: '42', ...done },
			],
		},
		done,
	],
	['nothing in a list of other tasks', { tasks: [{ task_id: '7', ...done }] }, undefined],
	[
		'a task that still runs, of whose parts one has ended',
		{ id: '42', jobs: [done, { status: 'in_progress' }] },
		{ status: 'processing' },
	],
	[
		'no further video where a playlist is beside the film',
		{ id: '42', status: 'completed', videos: [url, 'https://files.test/clip.m3u8'] },
		{ url, others: [] },
	],
	[
		'the further videos of a list that repeats the first',
		{ id: '42', ...done, videos: [url, 'https://files.test/second.mp4'] },
		{ url, others: ['https://files.test/second.mp4'] },
	],
	[
		'the reason that is beside an empty error',
		{ id: '42', status: 'failed', error: null, data: { reason: 'violence' } },
		{ status: 'failed', failure: { reason: 'violence' } },
	],
])('an answer tells %s', (_what, answer, expected) => {
	const found = taskFrom(answer, asked);
	if (expected === undefined) expect(found).toBeUndefined();
	else expect(found).toMatchObject(expected);
});
