import { stubbedGateway } from '../gateway/inMemory';

const CLIP = 'https://cdn.test/clip.mp4';
const OTHER = 'https://cdn.test/other.mp4';

test.each<[string, object]>([
	['that it was made from', { source_video: OTHER, output_video: CLIP }],
	['that it begins with', { init_video_url: OTHER, result: { video: CLIP } }],
	['that it refers to', { video_reference: OTHER, url: CLIP }],
	['in its prompt', { prompt: OTHER, output: { url: CLIP } }],
	['in its request', { input: { video: OTHER }, output: { url: CLIP } }],
	[
		'in the timeline that it was made from',
		{ timeline: { tracks: [{ asset: { src: OTHER } }] }, result: CLIP },
	],
	['of a page', { page_url: 'https://app.test/1', download: 'https://cdn.test/clip.mp4' }],
	[
		'of a picture, which its MIME type tells',
		{
			files: [
				{ uri: 'https://cdn.test/1', mime: 'image/png' },
				{ uri: CLIP, mime: 'video/mp4' },
			],
		},
	],
])('the URL %s is not that of the video', async (_which, fields) => {
	const answer = JSON.stringify({ id: 'task-1', status: 'completed', ...fields });
	const task = await stubbedGateway({ packets: [Buffer.from(answer)] }).getVideoTask('task-1');
	expect(task).toMatchObject({ status: 'completed', url: CLIP, others: [] });
});

test('a task is found in a job, and its video in the result of that', async () => {
	const answer = { job: { id: 'task-1', status: 'success', result: { url: CLIP } } };
	const packets = [Buffer.from(JSON.stringify(answer))];
	const task = await stubbedGateway({ packets }).getVideoTask('task-1');
	expect(task).toMatchObject({ status: 'completed', url: CLIP });
});
