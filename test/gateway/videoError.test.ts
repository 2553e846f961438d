import {
	downloadLost,
	downloadTimedOut,
	taskFailed,
	urlRefused,
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
	const task = { id: 'task-1', status: 'failed', sent_as: { status: 'EXPIRED' } };
	expect(taskFailed(task).message).toBe(
		'The service ended video task task-1 with the status "EXPIRED"',
	);
});

test.each([
	[401, false, /Never send it the service's key/],
	[401, true, /^The video is finished and billed\.$/],
	[500, false, /^The video is finished and billed\.$/],
])('a URL that returns %i (of the service: %s) advises what helps', (status, isOwn, advice) => {
	expect(urlRefused(status, isOwn).record.advice).toMatch(advice);
});
