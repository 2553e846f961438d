import { Chunks } from '../../gateway/dialects';
import { chatCompletion } from '../../gateway/schemas/chat';
import { errorBody } from '../../gateway/schemas/errors';
import { readAs, type ResourceSchema } from '../../gateway/schemas/lists';
import { videoSubmission, videoTaskReport } from '../../gateway/schemas/video';

const choice = { index: 0, message: { role: 'assistant', content: 'Good day' } };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const head = { id: 'chat-1', created: 1_750_000_000, model: 'heron' };
const completion = {
	...head,
	object: 'chat.completion',
	choices: [{ ...choice, finish_reason: 'stop' }],
	usage,
};
const task = { id: 'task-1', progress: 40, url: null, created_at: 1_750_000_000 };
const finished = {
	...{ ...task, status: 'completed', progress: 100, url: 'https://files.test/clip.mp4' },
	...{ completed_at: 1_750_000_100, revised_prompt: 'A fox' },
	metadata: { duration: 5, size: '720p', fps: 24, format: 'mp4' },
};
const submitted = { id: 'task-1', status: 'processing', url: null, revised_prompt: 'A fox' };
const submission = { ...head, object: 'video.generation', data: [submitted] };
const error = { code: 'model_not_found', message: 'No such model', data: null };
const wait = { code: 'rate_limit_exceeded', message: 'Wait', data: { retry_after: 3 } };
const filtered = { code: 'content_filtered', message: 'No', data: { reason: 'violence' } };
const inner = { message: 'No', type: 'invalid_request_error', code: 'invalid_api_key' };

/** What is read, and whether the door was asked. */
function readWithDoor<Resource>(schema: ResourceSchema<Resource>, answer: object) {
	const door = jest.fn((value: unknown) => value);
	const { data } = readAs(answer, schema, door);
	return { data, isAsked: door.mock.calls.length > 0 };
}

test.each<[string, ResourceSchema<unknown>, object]>([
	['a completion', chatCompletion, completion],
	['a submission', videoSubmission, submission],
	['a queued task', videoTaskReport, { ...task, status: 'queued' }],
	['a running task', videoTaskReport, { ...task, status: 'processing' }],
	['a completed task', videoTaskReport, finished],
	['an error', errorBody, error],
	['a rate limit', errorBody, wait],
	['a filtered content', errorBody, filtered],
	['an error of the chat endpoint', errorBody, { error: inner }],
])('%s of the interface is read as it is, without the door', (_what, schema, answer) => {
	const { data, isAsked } = readWithDoor(schema, answer);
	expect(data).toBe(answer);
	expect(isAsked).toBe(false);
});

test.each<[string, ResourceSchema<unknown>, object]>([
	['a completion with a field more', chatCompletion, { ...completion, provider: 'P' }],
	['a task with a status of another service', videoTaskReport, { ...task, status: 'pending' }],
	['a failed task', videoTaskReport, { ...task, status: 'failed' }],
	['a completed task without a URL', videoTaskReport, { ...finished, url: null }],
	['a running task with a URL', videoTaskReport, { ...finished, status: 'processing' }],
	['a submission that is completed', videoSubmission, { ...submission, data: [finished] }],
	['an error with a code of another service', errorBody, { ...error, code: 'oops' }],
	['an error in an error', errorBody, { ...error, message: '{"error":"No"}' }],
])('%s comes in through the door', (_what, schema, answer) => {
	expect(readWithDoor(schema, answer)).toMatchObject({ isAsked: true });
});

const chunk = (part: object) => ({ ...head, object: 'chat.completion.chunk', choices: [part] });

test.each([
	['a chunk', { index: 0, delta: { content: 'Good' }, finish_reason: null }],
	['the last chunk', { index: 0, delta: {}, finish_reason: 'stop' }],
])('%s of the interface comes out of the door as it is', (_what, part) => {
	const event = chunk(part);
	expect(new Chunks().from(event)).toBe(event);
});
