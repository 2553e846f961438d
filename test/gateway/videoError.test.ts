import { GatewayError } from '../../gateway/errors/gatewayError';
import {
	downloadLost,
	downloadTimedOut,
	storageError,
	urlRefused,
} from '../../gateway/errors/downloadError';
import {
	aboutKnown,
	taskFailed,
	unreadableTask,
	waitTimeout,
} from '../../gateway/errors/videoError';

const redact = (text: string) => text.replaceAll('the-key', '[API key removed]');

test('the technical detail of a download that breaks off has no key', () => {
	const { record } = downloadLost(new Error('getaddrinfo ENOTFOUND the-key.test'), redact);
	expect(record.technical).toBe('getaddrinfo ENOTFOUND [API key removed].test');
});

test('a download that gets no more data names Timeout, which ended it, and no other option', () => {
	const { message, advice } = downloadTimedOut(300_000).record;
	expect(message).toBe('The video download stopped receiving data for 300 seconds');
	expect(advice).toMatch(/^Increase Timeout /);
	expect(advice).not.toMatch(/Max Wait|Max Retries/);
});

test('a task that a filter ended has the reason of the service', () => {
	const error = { code: 'content_filtered', message: 'No.', data: { reason: 'violence' } };
	const { record } = taskFailed({ id: 'task-1', status: 'failed', error });
	expect(record).toMatchObject({ code: 'content_filtered', reason: 'violence' });
});

test('a failed task has the words, the code and the reason that its answer has beside an empty error', () => {
	const failure = { words: 'It was stopped.', code: 'filtered', reason: 'violence' };
	const { record } = taskFailed({ id: 'task-1', status: 'failed', error: null, failure });
	expect(record).toMatchObject({ words: 'It was stopped.', code: 'filtered', reason: 'violence' });
});

test('a task that ended in another word is named with this word', () => {
	const task = {
		id: 'task-1',
		status: 'failed',
		said_status: { word: 'EXPIRED', meaning: 'failed' as const },
	};
	expect(taskFailed(task).message).toBe(
		'The service ended video task task-1 with the status "EXPIRED"',
	);
});

test.each([
	[401, false, /^This host asks for a login .* The video is finished and billed\.$/],
	[401, true, /^The video is finished and billed\.$/],
	[500, false, /^The video is finished and billed\.$/],
])('a URL that returns %i (of the service: %s) advises what helps', (status, isOwn, advice) => {
	expect(urlRefused(status, isOwn).record.advice).toMatch(advice);
});

const taskOf = (status: string) => ({ id: 'task-1', status });
const unread = new GatewayError({
	message: 'The answer is not JSON',
	advice: 'Try again.',
	code: 'malformed_answer',
	isAnswer: true,
});

test.each([
	['of a task that runs', waitTimeout(taskOf('queued')), 'The task is still running.'],
	[
		'of a status that is not known',
		waitTimeout(taskOf('mystery')),
		'Its last status was "mystery", which this node does not know.',
	],
	[
		'of a task without a URL',
		waitTimeout(taskOf('completed')),
		'Its last status was "completed", but it had no URL.',
	],
	[
		'of a last poll that failed',
		waitTimeout(undefined, unread),
		'The last poll failed: The answer is not JSON. The video may be finished.',
	],
	[
		'of an answer with the ID of the task',
		unreadableTask(unread, true),
		'It has the ID of the task, and no status that this node finds. The video may be finished.',
	],
	[
		'of an answer to its own submission',
		aboutKnown(unread, { submittedAt: 0 }),
		'The service gave this ID for the submission. The video may be finished.',
	],
	[
		'of a full disk',
		storageError(Object.assign(new Error('full'), { code: 'ENOSPC' })),
		'Free disk space on the n8n host, or give n8n write access to this folder. The video is finished and billed.',
	],
])('the advice %s reads as a whole', (_of, { record }, advice) => {
	expect(record.advice).toBe(advice);
});
