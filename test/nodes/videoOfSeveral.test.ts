import type { IDataObject } from 'n8n-workflow';
import type { Simulator } from '../../simulator';
import { type RawResponse, RawServer, rawResponse } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { videoNode } from './videoNode';

/** A service whose tasks are numbered, some of which fail, and some of whose submissions go wrong. */
const server = new RawServer();
const service = server as unknown as Simulator;
let failing: number[];
let spoilt: Record<number, RawResponse>;
/** How many videos each submission asked for. */
let asked: number[];
let made: number;

beforeAll(async () => await server.listen());
beforeEach(() => {
	failing = [];
	spoilt = {};
	asked = [];
	made = 0;
	server.respond = (request) => (request.startsWith('POST') ? submitted(request) : look(request));
});
afterAll(async () => await server.close());

function submitted(request: string): RawResponse {
	const { n } = JSON.parse(request.slice(request.indexOf('\r\n\r\n'))) as { n: number };
	asked.push(n);
	const wrong = spoilt[asked.length];
	if (wrong) return wrong;
	const data = Array.from({ length: n }, () => ({
		id: `task-${(made += 1)}`,
		status: 'processing',
		url: null,
	}));
	return json({ id: `request-${asked.length}`, object: 'video.generation', data });
}

function look(request: string): RawResponse {
	const [, id = '', number] = /generations\/(task-(\d+)) /.exec(request) ?? [];
	return failing.includes(Number(number))
		? json({ id, status: 'failed', error: 'Too dark' })
		: json({ id, status: 'completed', progress: 100, url: `https://files.test/${id}.mp4` });
}

function json(body: unknown, status = '200 OK'): RawResponse {
	return rawResponse(status, JSON.stringify(body), { 'content-type': 'application/json' });
}

const run = async (options: Partial<NodeRun> = {}) =>
	await runNode(service, {
		...videoNode({ options: { n: 4 }, requestOptions: { maxRetries: 0 } }),
		credential: { baseUrl: server.url, apiKey: 'key-of-tests' },
		...options,
	});
const ids = (items: Array<{ json: IDataObject }>) =>
	items.map((item) => (item.json.error as IDataObject | undefined)?.task_id ?? item.json.task_id);

test.each<[string, number[], number, number[], number[]]>([
	['one fails', [2], 2, [4, 1], [1, 3, 4, 5]],
	['the first fails', [1], 2, [4, 1], [2, 3, 4, 5]],
	['two fail', [2, 3], 2, [4, 2], [1, 4, 5, 6]],
	['all fail', [1, 2, 3, 4], 2, [4, 4], [5, 6, 7, 8]],
	['two fail, and then one of their successors', [2, 3, 5], 3, [4, 2, 1], [1, 4, 6, 7]],
	['one fails, and its successors again and again', [4, 5, 6], 4, [4, 1, 1, 1], [1, 2, 3, 7]],
])(
	'of four videos %s: Retry On Fail asks for as many as failed, and the output has four',
	async (_name, broken, tries, submissions, output) => {
		failing = broken;
		const { items, error } = await run({ tries });
		expect(error).toBeUndefined();
		expect(asked).toEqual(submissions);
		expect(ids(items)).toEqual(output.map((number) => `task-${number}`));
		expect(items.map(({ json: { status } }) => status)).toEqual(Array(4).fill('completed'));
	},
);

test('with On Error "Continue" the videos that failed stand beside the good ones, in their order', async () => {
	failing = [2, 3];
	const { items } = await run({ onError: 'continueRegularOutput' });
	expect(ids(items)).toEqual(['task-1', 'task-2', 'task-3', 'task-4']);
	expect(items.map(({ json: { error } }) => error !== undefined)).toEqual([
		false,
		true,
		true,
		false,
	]);
	expect(asked).toEqual([4]);
});

test('when all tries fail the error lists every good video with its address, and Retry asks for the rest', async () => {
	failing = [2, 3, 5];
	const failed = await run({ tries: 2, executionId: '1' });
	expect(asked).toEqual([4, 2]);
	for (const number of [1, 4, 6])
		expect(failed.error?.description).toContain(`task-${number}: completed, https://files.test/`);
	const { items } = await run({ executionId: '2', resume: failed.run.data });
	expect(asked).toEqual([4, 2, 1]);
	expect(ids(items)).toEqual(['task-1', 'task-4', 'task-6', 'task-7']);
});

const REFUSAL = json({ code: 'quota_not_enough', message: 'No money left', data: null }, '403 No');
const LOST: RawResponse = { packets: [], then: 'is reset' };

test.each([
	['refused', REFUSAL, /does not allow|quota/i],
	['lost', LOST, /may have accepted/],
])(
	'when the videos in place of those that failed are %s, the error still lists the good ones',
	async (_what, answer, words) => {
		failing = [2, 3];
		spoilt = { 2: answer };
		const { error } = await run({ tries: 2 });
		expect(`${error?.message}\n${error?.description}`).toMatch(words);
		for (const number of [1, 4]) expect(error?.description).toContain(`task-${number}: `);
	},
);

test('with On Error "Continue" the good videos are put out, also when nothing could be made in place of the others', async () => {
	failing = [1, 3];
	spoilt = { 2: REFUSAL };
	const { items } = await run({ tries: 2, onError: 'continueRegularOutput' });
	expect(ids(items)).toEqual(['task-2', 'task-4', undefined]);
	expect(items[0]?.json.status).toBe('completed');
	expect(items[2]?.json.error).toMatchObject({ code: 'quota_not_enough', item: 0 });
});

test('a submission that was refused is made again for as many as failed', async () => {
	failing = [2, 3];
	spoilt = { 2: REFUSAL };
	const { items } = await run({ tries: 3 });
	expect(asked).toEqual([4, 2, 2]);
	expect(ids(items)).toEqual(['task-1', 'task-4', 'task-5', 'task-6']);
});

test('a submission that may have been accepted is not made again in this execution, and the good videos are kept for the next', async () => {
	failing = [2, 3];
	spoilt = { 2: LOST };
	const failed = await run({ tries: 4, executionId: '1' });
	expect(asked).toEqual([4, 2]);
	expect(failed.error?.description).toContain('task-4: ');
	const { items } = await run({ executionId: '2', resume: failed.run.data });
	expect(asked).toEqual([4, 2, 2]);
	expect(ids(items)).toEqual(['task-1', 'task-4', 'task-5', 'task-6']);
});
