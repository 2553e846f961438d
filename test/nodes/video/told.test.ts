import type { INodeParameters } from 'n8n-workflow';
import { stopWhen } from '../../clock/until';
import { rawJson, rawResponse } from '../../engine/rawServer';
import { type NodeResult, type NodeRun, runNode } from '../../engine/runNode';
import { useExecutions } from '../../engine/useExecutions';
import { useLog } from '../../engine/useLog';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0.05 });
const service = useRawServer();

const warnings = useLog('warn');

const sequential = { maxConcurrency: 1, maxRetries: 0 };
const items = ['One', 'Two', 'Three'].map((prompt) => ({ prompt }));
const video = ({ options = {}, ...others }: INodeParameters = {}): NodeRun => ({
	...videoNode({ ...others, options: { ...sequential, ...Object(options) } }),
	items,
});
const execute = useExecutions(async (node) => await runNode(simulator, node));
const AGAIN = /Retry submits (item \d+|\d+ items) again\./;
/** An execution whose book n8n saved when it was stopped in a later node or pause: nothing told of what it lost. */
const withoutTelling = ({ run: { data } }: NodeResult) => {
	const text = JSON.stringify(data).replaceAll(/"lost":\{[^}]*\}/g, '"lost":{}');
	return JSON.parse(text) as typeof data;
};

describe('a lost submission', () => {
	beforeEach(() =>
		simulator.inject({ endpoint: 'submit', fault: 'lost', matching: 'Two', times: 1 }),
	);

	test('is announced by the error of its execution, and submitted again by n8n’s Retry', async () => {
		const { error } = await execute(video());
		expect(error?.description).toContain('Retry submits item 1 again.');
		const { items: output } = await execute(video());
		expect(output).toHaveLength(items.length);
		expect(simulator.count('submit')).toBe(items.length + 1);
	});

	test('is announced again if Retry loses it, too', async () => {
		await execute(video());
		simulator.inject({ endpoint: 'submit', fault: 'lost', matching: 'Two', times: 1 });
		const { error } = await execute(video());
		expect(error?.description).toContain('Retry submits item 1 again.');
		expect(simulator.count('submit')).toBe(3);
	});

	test('is one of a number in the message if there are several', async () => {
		simulator.inject({ endpoint: 'submit', fault: 'lost', matching: 'One', times: 1 });
		const many = { options: { maxConcurrency: 3, maxRetries: 0 } };
		const { error } = await execute(video(many));
		expect(error?.message).toContain('Retry submits 2 items again.');
		expect(error?.description).toContain('may have accepted: item 0, 1');
	});

	test('is refused, and told, by the first Retry of an execution that did not tell', async () => {
		const lost = await runNode(simulator, { ...video(), executionId: '1' });
		const retry = { executionId: '2', retryData: withoutTelling(lost) };
		const refused = await runNode(simulator, { ...video(), ...retry });
		expect(refused.error?.message).toContain('was lost in an earlier try');
		expect(refused.error?.description).toContain('Retry submits item 1 again.');
		const submissions = simulator.count('submit');
		const next = { executionId: '3', retryData: refused.run.data };
		await runNode(simulator, { ...video(), ...next });
		expect(simulator.count('submit')).toBe(submissions + 2);
	});

	test('is not announced by a Retry that is stopped', async () => {
		const lost = await runNode(simulator, { ...video(), executionId: '1' });
		simulator.inject({ endpoint: 'poll', fault: 'hang' });
		const polls = simulator.count('poll');
		const retry = { executionId: '2', retryData: withoutTelling(lost) };
		const { error } = await stopWhen(
			() => simulator.count('poll') > polls,
			async (signal) => await runNode(simulator, { ...video(), ...retry, signal }),
		);
		expect(error?.description).not.toMatch(AGAIN);
	});

	test('is refused by the Retry of an execution that was stopped in its second try', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', attempts: [1] });
		simulator.inject({ endpoint: 'poll', fault: 'hang', attempts: [2] });
		await stopWhen(
			() => simulator.count('poll') === 2,
			async (signal) => await execute({ ...video(), tries: 2, signal }),
		);
		const { error } = await execute(video());
		expect(error?.message).toContain('was lost in an earlier try');
		expect(error?.description).toContain('Retry submits item 1 again.');
	});

	test('is not submitted again by the second try of the execution that lost it', async () => {
		const { error } = await execute({ ...video(), tries: 2 });
		expect(error?.message).toContain('was lost in an earlier try');
		expect(error?.description).toContain('Retry submits item 1 again.');
		expect(simulator.count('submit')).toBe(2);
	});

	test('speaks of Retry only where n8n offers one', async () => {
		const onError = 'continueRegularOutput';
		simulator.inject({ endpoint: 'submit', fault: 'lost', matching: 'One', times: 1 });
		const { items: output } = await runNode(simulator, { ...video(), onError, tries: 2 });
		expect(output[0]?.json.error).toMatchObject({
			code: 'submission_lost',
			may_have_been_accepted: true,
		});
		expect(JSON.stringify(output)).not.toMatch(/Retry/);
	});
});

describe('Max Billable Requests in a second try', () => {
	test('keeps what the first one paid for in the error', async () => {
		const failed = '[fault:task-failed-string]';
		const node = video({ options: { maxBillableRequests: 1 } });
		const { error } = await runNode(simulator, { ...node, items: [{ prompt: failed }], tries: 2 });
		expect(error?.message).toContain('Max Billable Requests (1) does not allow this request');
		expect(error?.description).toContain('This execution made 1 billable request with this node');
		expect(error?.description).toMatch(
			/In the try before: The service could not generate the video/,
		);
		expect(error?.description).toContain(`${simulator.tasks[0]!.id}: failed`);
		expect(simulator.count('submit')).toBe(1);
	});

	test('waits for a paid video that still runs', async () => {
		const node = video({ options: { maxBillableRequests: 3 } });
		const prompts = ['[fault:task-failed-string]', 'Two', 'Three'].map((prompt) => ({ prompt }));
		const { error } = await runNode(simulator, { ...node, items: prompts, tries: 2 });
		const [, two, three] = simulator.tasks;
		for (const task of [two, three]) expect(error?.description).toContain(`${task!.id}: completed`);
	});

	test('says that one request alone is too large', async () => {
		const node = video({ options: { maxBillableRequests: 2, n: 4 } });
		const { error } = await runNode(simulator, node);
		expect(error?.message).toBe(
			'Max Billable Requests (2) is less than this one request counts (4) [item 0]',
		);
		expect(error?.description).not.toMatch(/loop/);
		// The first item alone would fit.
		await runNode(simulator, video({ options: { maxBillableRequests: 5, n: 2 } }));
		expect(simulator.count('submit')).toBe(0);
	});
});

describe('what the service says', () => {
	test('a field that it adds reaches the items, whatever the wait, also an integer beyond 2^53', async () => {
		let failing = false;
		service.respond = (request) => {
			if (request.startsWith('POST')) {
				const submission =
					'{"id":"request","data":[{"id":"task","status":"queued","seed":9007199254740993}]}';
				return rawResponse('200 OK', submission);
			}
			if (failing) return rawResponse('401 Unauthorized', '{"error":{"message":"no","type":"x"}}');
			const polled =
				'{"id":"task","status":"completed","url":"http://f.test/a","mood":{"n":12345678901234567890}}';
			return rawResponse('200 OK', polled);
		};
		const expected = {
			seed: '9007199254740993',
			mood: { n: '12345678901234567890' },
			task_id: 'task',
		};
		const node = { ...video({ simplify: false }), items: [{ prompt: 'One' }] };
		const first = await runNode(service, node);
		expect(first.items[0]?.json).toMatchObject(expected);
		failing = true;
		const failed = await runNode(service, { ...node, executionId: '1' });
		expect(failed.error).toBeDefined();
		failing = false;
		const retry = { executionId: '2', retryData: failed.run.data };
		const retried = await runNode(service, { ...node, ...retry });
		expect(retried.items[0]?.json).toMatchObject(expected);
		expect(service.requests.filter((request) => request.startsWith('POST'))).toHaveLength(2);
	});

	test.each([
		['with an id that another has', { id: 'task', status: 'completed' }],
		['without an id', { status: 'completed' }],
	])('an entry of a submission %s is a video that is missing', async (_what, entry) => {
		const first = { id: 'task', status: 'completed' };
		service.respond = (request) =>
			rawJson(request.startsWith('POST') ? { id: 'request', data: [first, entry] } : first);
		const node = { ...video({ options: { n: 3 } }), items: [{ prompt: 'One' }] };
		const result = await runNode(service, node);
		expect(result.items.map(({ json }) => json.task_id)).toEqual(['task']);
		expect(warnings).toContainEqual(expect.stringContaining('the service created 1 of 3 videos'));
		expect(result.hints).toContainEqual(
			'2 videos are missing: the service created fewer than were asked for.',
		);
		expect(result.hints.join('\n')).not.toContain('not waited for');
	});

	test.each(['.', '..', '../models', 'a/..'])(
		'a task with the id "%s" does not lead to another URL',
		async (id) => {
			service.respond = () => rawJson({ id: 'request', data: [{ id, status: 'queued' }] });
			const node = { ...video(), items: [{ prompt: 'One' }] };
			const { error } = await runNode(service, node);
			expect(service.requests).toHaveLength(1);
			expect(error?.description).toContain(`[item 0] ${id}: queued`);
		},
	);
});

test.each(['get', 'wait'])(
	'the operation %s calls a task that nobody knows not found',
	async (operation) => {
		const node = video({ operation, taskId: 'task-unknown' });
		const { error } = await runNode(simulator, { ...node, items: [{}] });
		expect(error?.description).toContain('Tasks of this run: [item 0] task-unknown: not found');
		const onError = 'continueRegularOutput';
		const { items: output } = await runNode(simulator, { ...node, items: [{}], onError });
		expect(output[0]?.json.error).toMatchObject({ task_id: 'task-unknown', status: 'not found' });
	},
);

test('with Stop Workflow, Get asks for no further task after one that fails', async () => {
	const node = video({ operation: 'get', taskId: 'task-unknown' });
	const { error } = await runNode(simulator, node);
	expect(error?.message).toContain('not found');
	expect(simulator.count('poll')).toBe(1);
});

test('Submit hands on a video of an earlier try if the rest of its submission is refused in this one', async () => {
	let submissions = 0;
	const refusal = rawResponse('400 Bad Request', '{"code":"invalid_request_error","message":"No"}');
	const tasks = [
		{ id: 'one', status: 'failed' },
		{ id: 'other', status: 'processing' },
	];
	service.respond = () =>
		[1, 4].includes(++submissions) ? refusal : rawJson({ id: 'request', data: tasks });
	const { items: output } = await runNode(service, {
		...video({ operation: 'submit', options: { n: 2 } }),
		items: items.slice(0, 2),
		tries: 2,
		onError: 'continueRegularOutput',
	});
	expect(submissions).toBe(4);
	expect(output.map(({ json, pairedItem }) => [pairedItem, json.task_id])).toContainEqual([
		{ item: 1 },
		'other',
	]);
});

test.each([
	['refuses a download, the error advises Retry', rawResponse('403 Forbidden', 'Expired'), true],
	['sends a web page, the error advises no Retry', rawResponse('200 OK', '<html></html>'), false],
])('where the storage %s', async (_what, file, helps) => {
	const task = { id: 'task', status: 'completed', url: `${service.url}/clip` };
	service.respond = (request) => {
		if (request.startsWith('GET /clip')) return file;
		return rawJson(request.startsWith('POST') ? { id: 'request', data: [task] } : task);
	};
	const { error } = await runNode(service, video({ download: true }));
	const advice = 'use Retry (Executions tab, the arrow of this execution), or add a second';
	expect(error?.description?.includes(advice)).toBe(helps);
	expect(error?.description).toContain('pays for another video');
});

describe('a bad row of a batch', () => {
	const rows = ['One', 'Two', '[fault:content-filtered]'].map((prompt) => ({ prompt }));
	const linesOf = ({ error }: NodeResult) => error?.description?.split(/(?:<br>)?\n/) ?? [];

	test('is told first, then what is paid, a line for each', async () => {
		const failed = await runNode(simulator, { ...video(), items: rows });
		const ids = simulator.tasks.map(({ id }) => id);
		expect(ids).toHaveLength(2);
		expect(linesOf(failed)).toEqual([
			expect.stringMatching(/^Change the/),
			expect.stringMatching(/^The service says: /),
			'2 of these videos are paid. To get them without paying again, add a second Video Generation node, not connected to this one, with the operation Wait and these task IDs.',
			'Executing this node again pays for them again.',
			'To hand on what succeeds, set On Error of this node to Continue (using error output).',
			expect.stringMatching(/^Tasks of this run: \[item 0\] task-/),
			expect.stringMatching(/^\[item 1\] task-/),
			`IDs: ${ids.join(', ')}`,
		]);
	});

	test('has no such lines where nothing is paid, or the video that failed alone', async () => {
		simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough' });
		const none = await runNode(simulator, { ...video(), items: rows });
		expect(linesOf(none).join()).not.toMatch(/paid|On Error/);
		const endless = { waitOptions: { pollInterval: 0.01, maxWait: 0.02 } };
		const alone = await runNode(simulator, {
			...video(endless),
			items: [{ prompt: '[fault:task-endless]' }],
		});
		expect(linesOf(alone).join()).not.toMatch(/videos (is|are) paid|On Error/);
	});

	test('is told in sentences to an agent, and in items', async () => {
		const onError = 'continueRegularOutput' as const;
		const { items: output } = await runNode(simulator, { ...video(), items: rows, onError });
		const { description } = output[2]?.json.error as { description: string };
		expect(description).toMatch(/^Change the [^\n]* The service says: /);
	});
});

describe('a video that is not finished when Max Wait is over', () => {
	const endless = {
		...video({ waitOptions: { pollInterval: 0.02, maxWait: 0.05 } }),
		items: [{ prompt: '[fault:task-endless]' }],
	};
	const other =
		'add a second Video Generation node, not connected to this one, with the operation Wait and the task ID';
	const pays = 'Executing this node again pays for another video.';

	test('is waited for again by Retry, or by another node, and its ID is not first in the message', async () => {
		const { error } = await runNode(simulator, endless);
		const { id } = simulator.tasks[0]!;
		expect(error?.message).toBe('The video was not finished when Max Wait was over [item 0]');
		expect(error?.description).toContain(
			`To get it without paying again, use Retry (Executions tab, the arrow of this execution), or ${other} ${id}. ${pays}`,
		);
	});

	test('is waited for by Retry for the whole Max Wait of that', async () => {
		let unfinished = Infinity;
		service.respond = (request) => {
			if (request.startsWith('POST')) return rawJson({ id: 'request', data: [{ id: 'task' }] });
			const status = (unfinished -= 1) < 0 ? 'completed' : 'processing';
			return rawJson({ id: 'task', status, url: 'http://files.test/clip' });
		};
		const paid = { ...endless, credential: { baseUrl: service.url, apiKey: 'key' } };
		await execute(paid);
		unfinished = 2;
		const waitOptions = { pollInterval: 0.02, maxWait: 60 };
		const { items: output } = await execute({
			...paid,
			parameters: { ...paid.parameters, waitOptions },
		});
		expect(output).toMatchObject([{ json: { status: 'completed' } }]);
		expect(service.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});

	test('is waited for by another node where n8n offers no Retry', async () => {
		const onError = 'continueRegularOutput' as const;
		const { items: output } = await runNode(simulator, { ...endless, onError });
		const { description } = output[0]?.json.error as { description: string };
		expect(description).toContain(
			`To get it without paying again, ${other.replace(', not connected to this one,', '')}`,
		);
		expect(description).not.toContain('Retry');
		const { error } = await runNode(simulator, { ...endless, mode: 'integrated' });
		expect(error?.message).toContain(`${simulator.tasks[1]?.id}: processing`);
		expect(error?.description).not.toContain('Retry');
	});

	test('costs nothing to wait for again with Wait', async () => {
		await runNode(simulator, endless);
		const taskId = simulator.tasks[0]!.id;
		const { error } = await runNode(simulator, {
			...video({ operation: 'wait', taskId, waitOptions: { pollInterval: 0.02, maxWait: 0.05 } }),
			items: [{}],
		});
		expect(error?.description).toContain('Executing this node again costs nothing.');
		expect(error?.description).not.toContain(pays);
	});
});
