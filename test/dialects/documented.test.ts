import {
	Chunks,
	completionFrom,
	errorFrom,
	modelListFrom,
	submissionFrom,
	taskFrom,
} from '../../gateway/dialects';

const asked = { ids: ['task-1'], url: 'https://service.test/media/v1/video/generations/task-1' };
const choice = { index: 0, message: { role: 'assistant', content: 'Good day' } };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const head = { id: 'chat-1', created: 1_750_000_000, model: 'heron' };
const chunk = (part: object) => ({ ...head, object: 'chat.completion.chunk', choices: [part] });
const task = { id: 'task-1', progress: 40, url: null, created_at: 1_750_000_000 };
const url = 'https://files.test/clip.mp4';
const metadata = { duration: 5, size: '720p', fps: 24, format: 'mp4' };
const chunks = new Chunks();

test.each<[string, (answer: unknown) => unknown, object]>([
	[
		'a completion',
		completionFrom,
		{
			...head,
			object: 'chat.completion',
			choices: [{ ...choice, finish_reason: 'stop' }],
			usage,
		},
	],
	[
		'a submission',
		(answer) => submissionFrom(answer, String),
		{ ...head, data: [{ id: 'task-1', status: 'processing', url: null, revised_prompt: 'A fox' }] },
	],
	['a queued task', (answer) => taskFrom(answer, asked), { ...task, status: 'queued' }],
	['a running task', (answer) => taskFrom(answer, asked), { ...task, status: 'processing' }],
	[
		'a completed task',
		(answer) => taskFrom(answer, asked),
		{ ...task, status: 'completed', progress: 100, url, metadata },
	],
	['an error', errorFrom, { code: 'model_not_found', message: 'No such model', data: null }],
	[
		'a rate limit',
		errorFrom,
		{ code: 'rate_limit_exceeded', message: 'Wait', data: { retry_after: 3 } },
	],
	[
		'a filtered content',
		errorFrom,
		{ code: 'content_filtered', message: 'No', data: { reason: 'violence' } },
	],
	[
		'an error of the chat endpoint',
		errorFrom,
		{ error: { message: 'No', type: 'invalid_request_error', code: 'invalid_api_key' } },
	],
	['a list of models', modelListFrom, { object: 'list', data: [{ id: 'heron' }] }],
	[
		'a chunk',
		(event) => chunks.from(event)[0],
		chunk({ index: 0, delta: { content: 'Good' }, finish_reason: null }),
	],
	[
		'the last chunk',
		(event) => chunks.from(event)[0],
		chunk({ index: 0, delta: {}, finish_reason: 'stop' }),
	],
])('%s of the interface comes out of the door as it is', (_what, from, answer) => {
	expect(from(answer)).toBe(answer);
});
