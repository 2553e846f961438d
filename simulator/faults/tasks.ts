import { faultsOn } from './fault';
import * as task from './effects/task';

const REASON = { code: 'generation_failed', message: 'The scene could not be drawn.' };

/** Tasks that fail, never end or report odd values. */
export const tasks = faultsOn(['submit'], {
	'task-failed-string': ['failed, error is a string', task.failed(REASON.message)],
	'task-failed-object': ['failed, error is {code, message}', task.failed(REASON)],
	'task-failed-nested': ['failed, error is {error: {message}}', task.failed({ error: REASON })],
	'task-failed-array': ['failed, error is an array', task.failed([REASON, 'and more'])],
	'task-failed-number': ['failed, error is a number', task.failed(17)],
	'task-failed-null': ['failed, error is null', task.failed(null)],
	'task-failed-empty': ['failed, error is an empty string', task.failed('')],
	'task-failed-absent': ['failed, without an error', task.failed()],
	'task-failed-long': ['failed, error is 100 kB of text', task.failed('Too dark. '.repeat(10_000))],
	'task-failed-echo-key': ['failed, error repeats the key', task.failedEchoingKey],
	'task-endless': ['processing forever', task.ending('processing forever')],
	'task-queued': ['queued forever', task.ending('queued forever')],
	'task-forgotten': ['404 task_not_found from the first poll', task.ending('forgotten')],
	'not-found-yet': [
		'404 task_not_found for the first 10 s, like a replica that lags',
		task.notFoundYet,
	],
	'task-url-null': ['completed, url is null', task.completedWith({ url: null })],
	'task-url-absent': ['completed, without url', task.completedWith({ url: undefined })],
	'task-url-relative': ['completed, url is a path', task.completedWith({ url: '/files/x.mp4' })],
	'task-url-file': ['completed, url is file:', task.completedWith({ url: 'file:///etc/hostname' })],
	'task-url-private': [
		'completed, url is a link-local address',
		task.completedWith({ url: 'http://169.254.169.254/latest/meta-data/' }),
	],
	'task-bad-base64': [
		'completed, b64_json is not base64',
		task.completedWith({ url: null, b64_json: '*** not base64 ***' }),
	],
	'task-bare': [
		'without progress, revised_prompt, metadata and times',
		task.alwaysWith({
			progress: undefined,
			revised_prompt: undefined,
			metadata: undefined,
			created_at: undefined,
			completed_at: undefined,
		}),
	],
	'task-odd-status': ['a status the document does not name', task.alwaysWith({ status: 'paused' })],
	'task-odd-progress': ['progress beyond 100', task.alwaysWith({ progress: 250 })],
});
