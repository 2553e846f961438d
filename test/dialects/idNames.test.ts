import { submissionFrom } from '../../gateway/dialects';
import { ID_NAMES } from '../../gateway/dialects/submittedTasks';

/** The ID of the task in a submission's answer; undefined if none is found. */
function idIn(answer: object): unknown {
	const { data } = submissionFrom(answer, () => '') as { data: Array<{ id: unknown }> };
	return data[0]?.id;
}

const refused = { code: 'Throttled' };

/** For each row of the table: an answer in which it decides, and one that misses the row by a little. */
const ROWS: Array<[what: string, [answer: object, id?: string], [nearMiss: object, id?: string]]> =
	[
		[
			'the ID of a task',
			[{ id: 'other', task_id: 'task-1' }, 'task-1'],
			[{ id: 'other', tasking_id: 'task-1' }, 'other'],
		],
		[
			'the ID of a request, which a refusal has, too',
			[{ ...refused, request_id: 'request-1' }],
			[{ ...refused, requested_id: 'request-1' }, 'request-1'],
		],
		[
			'the ID of something else',
			[{ user: { id: 'user-1' }, request_id: 'request-1' }, 'request-1'],
			[{ superuser: { ref_id: 'user-1' }, request_id: 'request-1' }, 'user-1'],
		],
		[
			'an ID without more',
			[{ id: 'task-1', ref_id: 'other' }, 'task-1'],
			[{ ident: 'task-1', ref_id: 'other' }, 'other'],
		],
		[
			'an ID of any other name',
			[{ invocationArn: 'arn:task-1' }, 'arn:task-1'],
			[{ invocationArnold: 'arn:task-1' }],
		],
		['an ID that stands alone', [{ data: 'task_4f1' }, 'task_4f1'], [{ data: 'task_' }]],
		[
			'the name of an operation',
			[{ name: 'operations/1', request_id: 'request-1' }, 'operations/1'],
			[{ name: 'operation/1', request_id: 'request-1' }, 'request-1'],
		],
		['any name', [{ name: 'task-1' }, 'task-1'], [{ named: 'task-1' }]],
	];

test('each row of the table is played here', () => {
	expect(ROWS).toHaveLength(ID_NAMES.length);
});

test.each(ROWS)('%s is found by its name, and a near miss is none', (_what, is, isNot) => {
	expect(idIn(is[0])).toBe(is[1]);
	expect(idIn(isNot[0])).toBe(isNot[1]);
});
