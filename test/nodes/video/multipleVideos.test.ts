import { useRawServer } from '../../engine/useServers';
import type { IDataObject } from 'n8n-workflow';
import { type RawResponse, rawJson } from '../../engine/rawServer';
import { type NodeRun, runNode } from '../../engine/runNode';
import { useExecutions } from '../../engine/useExecutions';
import { videoNode } from './videoNode';

/** A service that numbers its tasks. */
const server = useRawServer();
/** The numbers of the tasks that fail. */
let failing: number[];
/** The service's word for that. */
let failed: string;
/** Error responses by the number of the submission. */
let errorResponses: Record<number, RawResponse>;
/** The number of videos in each submission. */
let requested: number[];
let created: number;
/** How many more than requested the service creates; fewer where it is negative. */
let beyond: number;

beforeEach(() => {
	failing = [];
	failed = 'failed';
	errorResponses = {};
	requested = [];
	created = 0;
	beyond = 0;
	server.respond = (request) => (request.startsWith('POST') ? submit(request) : poll(request));
});

function submit(request: string): RawResponse {
	const { n } = JSON.parse(request.slice(request.indexOf('\r\n\r\n'))) as { n: number };
	requested.push(n);
	const errorResponse = errorResponses[requested.length];
	if (errorResponse) return errorResponse;
	const data = Array.from({ length: n + beyond }, () => ({
		id: `task-${(created += 1)}`,
		status: 'processing',
		url: null,
		revised_prompt: `Version ${created}`,
	}));
	return rawJson({ id: `request-${requested.length}`, object: 'video.generation', data });
}

function poll(request: string): RawResponse {
	const [, id = '', number] = /generations\/(task-(\d+)) /.exec(request) ?? [];
	return failing.includes(Number(number))
		? rawJson({ id, status: failed, error: 'Too dark' })
		: rawJson({ id, status: 'completed', progress: 100, url: `https://files.test/${id}.mp4` });
}

const node = (n = 4): NodeRun => videoNode({ options: { n, maxRetries: 0 } });
const execute = useExecutions(async (run) => await runNode(server, run));
const ids = (items: Array<{ json: IDataObject }>) =>
	items.map((item) => (item.json.error as IDataObject | undefined)?.task_id ?? item.json.task_id);

test('if all tries fail, the error lists every finished video with its URL, and Retry submits the rest', async () => {
	failing = [2, 3, 5];
	const first = await execute({ ...node(), tries: 2 });
	expect(requested).toEqual([4, 2]);
	for (const number of [1, 4, 6])
		expect(first.error?.description).toContain(`task-${number}: completed, https://files.test/`);
	const { items } = await execute(node());
	expect(requested).toEqual([4, 2, 1]);
	expect(ids(items)).toEqual(['task-1', 'task-4', 'task-6', 'task-7']);
});

test('of more videos than were asked for, no more are submitted again than the item lacks', async () => {
	beyond = 2;
	failing = [2, 3];
	const { items, error } = await execute({ ...node(1), tries: 2 });
	expect(error).toBeUndefined();
	expect(requested).toEqual([1]);
	expect(ids(items)).toEqual(['task-1']);
});

test('of fewer videos than were asked for, none is submitted again', async () => {
	beyond = -2;
	errorResponses = { 2: rawJson({ code: 'quota_not_enough', message: 'No' }, '403 Forbidden') };
	const items = [{ prompt: 'One' }, { prompt: 'Two' }];
	const result = await execute({ ...node(), items, tries: 2 });
	expect(requested).toEqual([4, 4, 4]);
	expect(ids(result.items)).toEqual(['task-1', 'task-2', 'task-3', 'task-4']);
});

test('a video that ended with another word than failed may still finish, and is polled again, not submitted', async () => {
	failing = [1];
	failed = 'expired';
	const { error } = await execute({ ...node(1), tries: 2 });
	expect(error?.message).toContain('with the status "expired"');
	failing = [];
	const { items } = await execute(node(1));
	expect(requested).toEqual([1]);
	expect(items).toMatchObject([{ json: { task_id: 'task-1', status: 'completed' } }]);
});

test('more videos than were asked for count towards Max Billable Requests', async () => {
	beyond = 2;
	const parameters = {
		options: { n: 1, maxBillableRequests: 3, maxConcurrency: 1 },
	};
	const onError = 'continueRegularOutput';
	await runNode(server, { ...videoNode(parameters), items: [{}, {}], onError });
	expect(requested).toEqual([1]);
});

const LOST: RawResponse = { packets: [], then: 'is reset' };

test('a submission of replacements that may have been accepted is repeated only in the next execution', async () => {
	failing = [2, 3];
	errorResponses = { 2: LOST };
	const first = await execute({ ...node(), tries: 4 });
	expect(requested).toEqual([4, 2]);
	expect(first.error?.description).toContain('task-4: ');
	const { items } = await execute(node());
	expect(requested).toEqual([4, 2, 2]);
	expect(ids(items)).toEqual(['task-1', 'task-4', 'task-5', 'task-6']);
});

test('the revised prompt of each video is that of the submission where no poll has one', async () => {
	server.respond = (request) => {
		if (request.startsWith('POST')) return submit(request);
		const polls = server.requests.filter((earlier) => earlier === request).length;
		return polls === 1 ? rawJson({ status: 'processing' }) : poll(request);
	};
	const { items } = await execute(node(2));
	expect(items.map(({ json }) => json.revised_prompt)).toEqual(['Version 1', 'Version 2']);
});

test('of a task with several videos, its item has the first one, and a hint the others', async () => {
	server.respond = (request) => {
		if (request.startsWith('POST')) return submit(request);
		const url = [1, 2, 3].map((video) => `https://files.test/${video}.mp4`);
		return rawJson({ status: 'completed', output: url });
	};
	const { items, hints } = await execute(node(1));
	expect(items.map(({ json }) => json.url)).toEqual(['https://files.test/1.mp4']);
	expect(hints).toContain(
		'The service made 2 more videos with these tasks, and each item has the first one. The others: https://files.test/2.mp4 https://files.test/3.mp4',
	);
});

test('of more than twenty polls that are answered with other task IDs, a hint names twenty', async () => {
	server.respond = (request) => {
		if (request.startsWith('POST')) return submit(request);
		const [, number] = /generations\/task-(\d+) /.exec(request) ?? [];
		const url = `https://files.test/${number}.mp4`;
		return rawJson({ id: `other-${number}`, status: 'completed', url });
	};
	const items = Array.from({ length: 22 }, () => ({}));
	const { hints } = await execute({ ...node(1), items });
	expect(hints).toContainEqual(
		expect.stringMatching(
			/in brackets: task-\d+ of item 0 \(other-\d+\), .* of item 19 \(other-\d+\) and 2 more\. Check whether.* IDs: (task-\d+, ){19}task-\d+$/,
		),
	);
});

test("every video's ID is in the execution's custom data", async () => {
	const { run } = await execute(node(3));
	const { video_task_ids } = run.data.resultData.metadata ?? {};
	expect(video_task_ids?.split(', ').sort()).toEqual(['task-1', 'task-2', 'task-3']);
});
