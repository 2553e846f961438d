import { taskFrom } from '../../gateway/dialects';
import { STATUS_WORDS } from '../../gateway/dialects/statusWords';

const asked = { ids: ['task-1'], url: 'https://service.test/media/v1/video/generations/task-1' };
const read = (status: unknown, more: object = {}) =>
	taskFrom({ id: 'task-1', status, ...more }, asked);

/** What each word means, with words that look like it and mean nothing. */
const WORDS = {
	'completed alone': 'ready',
	'processing alone': 'in progress, running',
	'failed anywhere':
		'fail, failed, failure, interrupted, aborted, terminated, reject, rejected, denied, refused, nsfw, moderated, filtered, block, blocked, flagged, banned, prohibited, expire, expired, time out, timed out, timeout, timedout, cancel, canceled, cancelled, deleted',
	'completed anywhere':
		'complete, completed, done, finish, finished, succeed, succeeded, success, successful',
	'unclear anywhere': 'error, errored, exception',
	'queued last': 'queued',
	'processing last': 'processing',
	'running last':
		'queue, wait, run, submitted, created, scheduled, not completed, not finished, initialized, throttled, not start, not started, not ready',
};
const ROWS = Object.entries(WORDS).flatMap(([row, words]) => {
	const [meaning = '', where = ''] = row.split(' ');
	return words.split(', ').map((word) => [word, meaning, where] as const);
});
const OF_INTERFACE = ['queued', 'processing', 'completed', 'failed'];

test('each word of the table is played here', () => {
	const table = STATUS_WORDS.flatMap(([meaning, where, words]) =>
		words.map((word) => [word, meaning, where]),
	);
	expect(table.map(String).sort()).toEqual(ROWS.map(String).sort());
});

test.each(ROWS)('a status with the word "%s" means %s, %s', (word, meaning, where) => {
	const means = { unclear: 'failed', running: 'processing' }[meaning] ?? meaning;
	const said = (status: string) => ({ said_status: { word: status, meaning: means } });
	const unknown = { said_status: undefined };
	if (!OF_INTERFACE.includes(word)) expect(read(word)).toMatchObject(said(word));
	expect(read(`${word}x`)).toMatchObject({ status: `${word}x`, ...unknown });
	// Any word in -ing goes on.
	const isOfOther = /ing$|^not /.test(word);
	if (!isOfOther) expect(read(`x${word}`)).toMatchObject({ status: `x${word}`, ...unknown });
	const isLast = where === 'last' || where === 'anywhere' || word.endsWith('ing');
	expect(read(`JOB_${word}`)).toMatchObject(isLast ? said(`JOB_${word}`) : unknown);
	const isAnywhere = where === 'anywhere';
	expect(read(`${word} by`)).toMatchObject(isAnywhere ? said(`${word} by`) : unknown);
});

test.each<[string, string, object]>([
	['is still to come', 'failed_retrying', { said_status: { meaning: 'processing' } }],
	['is denied', 'not failed', { said_status: undefined }],
	['goes on', 'upscaling', { said_status: { meaning: 'processing' } }],
	['only sounds like going on', 'warning', { said_status: undefined }],
	['is the interface’s in other letters', 'Failed', { status: 'failed', said_status: undefined }],
])('a status that %s: %s', (_what, status, expected) => {
	expect(read(status)).toMatchObject(expected);
});

test('what was sent in fields that read otherwise stands beside them', () => {
	const sent = {
		status: 'SUCCEEDED',
		progress: '100%',
		created_at: '2026-01-01T00:00:00Z',
		metadata: { duration: '5', note: 'kept' },
		others: 2,
	};
	const url = 'https://files.test/clip.mp4';
	expect(read(sent.status, { ...sent, url })).toMatchObject({
		...{ status: 'completed', progress: 100, created_at: 1_767_225_600, url, others: [] },
		metadata: { duration: 5, note: 'kept' },
		said_status: { word: 'SUCCEEDED', meaning: 'completed' },
		sent_as: sent,
	});
	expect(read('queued', { url: null, mood: 'fair' })).toMatchObject({ sent_as: undefined });
});

test.each([
	['status', 'statuses'],
	['state', 'estate'],
	['task_status', 'status_code'],
	['taskState', 'task_states'],
	['job_status', 'status_of_job'],
	['status_str', 'status_string'],
	['state_text', 'state_texts'],
	['statusName', 'name'],
])('the field %s has a status, and %s has none', (name, other) => {
	const found = (field: string) => taskFrom({ id: 'task-1', [field]: 'queued' }, asked);
	expect(found(name)).toMatchObject({ status: 'queued' });
	expect(found(other)).toBeUndefined();
});

test.each([
	['done', 'undone'],
	['is_done', 'was_done'],
	['finished', 'finish'],
	['completed', 'completes'],
	['isComplete', 'incomplete'],
])('the field %s tells an end, and %s does not', (name, other) => {
	const found = (field: string) => taskFrom({ id: 'task-1', [field]: false }, asked);
	expect(found(name)).toMatchObject({ status: 'processing' });
	expect(found(other)).toBeUndefined();
});
