import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../../gateway';
import { rawJson, rawResponse } from '../../engine/rawServer';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { useLog } from '../../engine/useLog';
import { stopWhen } from '../../clock/until';
import { arePolled, polledTasks } from './polls';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0.05 });
const service = useRawServer();
const lines = useLog('info', 'warn');
const attempts = useLog('debug');

const threeItems = ['One', 'Two', 'Three'].map((prompt) => ({ prompt }));
const sequential = { maxConcurrency: 1, maxRetries: 0 };

/** Runs the node until the condition is true, then stops the workflow. */
async function runUntil(condition: () => boolean, node: NodeRun) {
	const run = async (signal: AbortSignal) => await runNode(simulator, { ...node, signal });
	const result = await stopWhen(condition, run);
	expect(result.run.status).toBe('canceled');
	return result;
}

test('the videos of one submission share a line in the log', async () => {
	const node = videoNode({ operation: 'submit', options: { n: 4, ...sequential } });
	await runNode(simulator, { ...node, items: [{}, {}] });
	const ids = simulator.tasks.map(({ id }) => id);
	const tasksOf = (item: number) => ids.slice(4 * item, 4 * item + 4).join(', ');
	expect(lines).toEqual(
		[0, 1].map(
			(item) =>
				`Node "Node", execution 1: submitted 4 video tasks [item ${item}]. IDs: ${tasksOf(item)}`,
		),
	);
});

test('polls that are answered with another ID are in the log once, and in a hint with their item', async () => {
	let polls = 0;
	service.respond = (request) => {
		if (request.startsWith('POST')) {
			const id = request.includes('A kite') ? 'task-1' : 'task-0';
			return rawJson({ id: 'request', data: [{ id }] });
		}
		if (request.includes('/task-0 ')) return rawJson({ status: 'completed', url: service.url });
		const status = (polls += 1) < 4 ? 'processing' : 'completed';
		return rawJson({ id: 'task-9', status, url: status === 'completed' ? service.url : null });
	};
	const items = [{}, { prompt: 'A kite' }];
	const { hints } = await runNode(service, { ...videoNode(), items });
	const warning =
		'Node "Node", execution 1: polls of video task task-1 are answered with the ID task-9: check whether it is the right video [item 1]';
	expect(lines.filter((line) => line.includes('task-9'))).toEqual([warning]);
	expect(hints.join()).toContain('task-1 of item 1 (task-9)');
});

test('a stopped run names its tasks in one warning, and in its error', async () => {
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const endless = videoNode({ prompt: '[fault:task-endless]', options: { n: 2 } });
	const { error } = await runUntil(() => arePolled(simulator, 2, 3), { ...endless, tries: 3 });
	const ids = simulator.tasks.map(({ id }) => id);
	const list = ids.map((id) => `[item 0] ${id}: processing`).join(' ');
	const how =
		'To get them without paying again, add a second Video Generation node, not connected to this one, with the operation Wait and these task IDs';
	const all = `IDs: ${ids.join(', ')}`;
	const advice = `They are still being made, and billed. ${how}. ${all}`;
	const warning = `Node "Node", execution 1: stopped. Tasks of this run: ${list}. ${advice}`;
	expect(lines.filter((line) => line.includes('stopped'))).toEqual([warning]);
	expect(tell.mock.lastCall).toEqual([warning]);
	expect(error?.message).toMatch(new RegExp(`${all}$`));
	expect(error?.message).toContain(`${list}. ${advice}`);
	expect(error?.description?.replaceAll('<br>\n', ' ')).toContain(list);
	expect(error?.description).not.toMatch(/^\n|\n$/);
});

/** A manual run, of the workflow whose run was stopped. */
const manual = (parameters: INodeParameters = {}, more: Partial<NodeRun> = {}): NodeRun => {
	const node = videoNode(parameters);
	return { ...node, mode: 'manual', executionId: nextExecution(), ...more };
};
let executions = 100;
const nextExecution = () => String((executions += 1));

/** The IDs of the videos that a node says a stopped run paid for. */
async function namedBy(node: NodeRun): Promise<string[]> {
	const { error, hints } = await runNode(simulator, node);
	const text = `${error?.message} ${error?.description} ${hints.join(' ')}`;
	const [, list = ''] = /stopped paid for [^]*?IDs?: ([\w-]+(?:, [\w-]+)*)/.exec(text) ?? [];
	return list.split(', ').filter(Boolean);
}

/** n8n itself refuses an empty field. */
const NOTHING = '={{ "" }}';
const submissions = () => lines.filter((line) => line.includes('submitted')).length;

let workflows = 0;
function inWorkflow(id = `workflow ${(workflows += 1)}`) {
	const workflow = jest.spyOn(ExecuteContext.prototype, 'getWorkflow');
	return workflow.mockReturnValue({ id, name: 'Workflow', active: false });
}

describe('after a Stop, in manual runs of the same workflow,', () => {
	// Stopped before the first poll.
	const slow = { options: { n: 2 }, waitOptions: { pollInterval: 600 } };
	let ids: string[];
	beforeEach(async () => {
		inWorkflow('the same');
		await runUntil(() => submissions() === 1, videoNode(slow));
		ids = simulator.tasks.map(({ id }) => id);
	});
	afterEach(async () => {
		inWorkflow('the same');
		const taskId = simulator.tasks.map(({ id }) => id).join(', ');
		await runNode(simulator, videoNode({ operation: 'wait', taskId }));
	});

	test.each([
		['empty', { taskId: NOTHING }],
		['missing in the item', { taskId: '={{ $json.task_id }}' }],
		['unknown', { taskId: 'another-task' }],
	])(
		'Wait and Get name the videos if their Task ID is %s, also with Continue',
		async (_, fields) => {
			for (const operation of ['wait', 'get']) {
				const node = manual({ operation, ...fields });
				const { error } = await runNode(simulator, node);
				expect(error?.description).toContain(
					`A run of this workflow that was stopped paid for 2 videos. To get them without paying again, enter these IDs as Task ID. IDs: ${ids.join(', ')}`,
				);
				expect(await namedBy({ ...node, onError: 'continueRegularOutput' })).toEqual(ids);
			}
		},
	);

	test.each(['generate', 'submit'])(
		'%s names them once, before it sends anything, and makes new videos after that',
		async (operation) => {
			const node = manual({ operation }, { tries: 3 });
			const { error } = await runNode(simulator, node);
			expect(error?.message).toBe(
				'A run of this workflow that was stopped paid for 2 videos [item 0]',
			);
			expect(error?.description).toBe(
				`To get them without paying again, add a second Video Generation node, not connected to this one, with the operation Wait and these task IDs. To make new videos, execute again. IDs: ${ids.join(', ')}`,
			);
			expect(simulator.count('submit')).toBe(1);
			// Another node of that execution.
			expect((await runNode(simulator, node)).error?.message).toBe(error?.message);
			expect(simulator.count('submit')).toBe(1);
			const again = await runNode(simulator, { ...manual({ operation }), tries: 2 });
			expect(again.error).toBeUndefined();
			expect(again.hints.join()).not.toContain('stopped');
			expect(simulator.count('submit')).toBe(2);
		},
	);

	test('Generate with Continue hands on an error for each item', async () => {
		const items = [{}, {}];
		const node = manual({}, { items, onError: 'continueRegularOutput' });
		const { items: output } = await runNode(simulator, node);
		expect(output.map(({ json }) => json.error)).toMatchObject([
			{ message: expect.stringContaining('stopped paid for 2 videos'), item: 0 },
			{ message: expect.stringContaining('stopped paid for 2 videos'), item: 1 },
		]);
		expect(simulator.count('submit')).toBe(1);
	});

	test('a second Stop is told again', async () => {
		expect(await namedBy(manual())).toEqual(ids);
		await runUntil(() => submissions() === 2, manual(slow));
		expect(await namedBy(manual())).toEqual(simulator.tasks.map(({ id }) => id));
	});

	test('videos that Wait or Get has got are named no more', async () => {
		const [first, second] = ids as [string, string];
		await runNode(simulator, manual({ operation: 'wait', taskId: first }));
		expect(await namedBy(manual({ operation: 'wait', taskId: NOTHING }))).toEqual([second]);
		await runNode(simulator, manual({ operation: 'wait', taskId: second }));
		expect(await namedBy(manual({ operation: 'wait', taskId: NOTHING }))).toEqual([]);
		expect((await runNode(simulator, manual())).error).toBeUndefined();
	});

	test('nothing is named in production, to a copy of the workflow, or to one that is not saved', async () => {
		expect(await namedBy(manual({}, { mode: 'trigger' }))).toEqual([]);
		for (const id of ['copy', '', '__EMPTY__']) {
			inWorkflow(id);
			expect(await namedBy(manual())).toEqual([]);
			expect(await namedBy(manual({ operation: 'wait', taskId: NOTHING }))).toEqual([]);
		}
		inWorkflow('the same');
		expect(await namedBy(manual())).toEqual(ids);
	});
});

test('a run of a workflow that is not saved leaves nothing behind when it is stopped', async () => {
	inWorkflow('__EMPTY__');
	const endless = videoNode({ prompt: '[fault:task-endless]' });
	await runUntil(() => arePolled(simulator, 1, 1), endless);
	expect(await namedBy(manual())).toEqual([]);
});

test('of a stopped run with more than a hundred videos, the newest hundred are named', async () => {
	inWorkflow();
	const many = videoNode({ prompt: '[fault:task-endless]', options: { n: 4, ...sequential } });
	const items = Array.from({ length: 26 }, (_, row) => ({ row }));
	await runUntil(() => submissions() === items.length, { ...many, items });
	const newest = simulator.tasks.slice(4, 104).map(({ id }) => id);
	expect(await namedBy(manual())).toEqual(newest);
});

test('of more than a hundred workflows whose runs were stopped, the newest hundred are remembered', async () => {
	jest.spyOn(ExecuteContext.prototype, 'getWorkflow').mockImplementation(function (
		this: ExecuteContext,
	) {
		return { id: this.getExecutionId(), name: 'Workflow', active: false };
	});
	const all = Array.from({ length: 101 }, (_, number) => `${number}`);
	const endless = videoNode({ prompt: '[fault:task-endless]' });
	for (const ids of [all.slice(0, 1), all.slice(1)]) {
		const expected = submissions() + ids.length;
		const run = async (signal: AbortSignal) =>
			await Promise.all(
				ids.map(
					async (executionId) => await runNode(simulator, { ...endless, executionId, signal }),
				),
			);
		await stopWhen(() => submissions() === expected, run);
	}
	const named = await Promise.all(
		all.map(async (executionId) => await namedBy(manual({}, { executionId }))),
	);
	expect(named.map(({ length }) => length)).toEqual(all.map((_, number) => Number(number > 0)));
});

test('a run that was stopped names no video that had failed or that another run submitted', async () => {
	inWorkflow();
	simulator.inject({ endpoint: 'submit', fault: 'task-failed-string', times: 1 });
	const endless = videoNode({ prompt: '={{ $json.prompt }} [fault:task-endless]' });
	const failureIsRead = () => {
		const [failed, ...others] = simulator.tasks.map(({ id }) => id);
		const polled = polledTasks(simulator);
		// It is polled no more.
		const later = polled.slice(polled.lastIndexOf(failed!) + 1);
		const areLater = others.every((id) => later.filter((each) => each === id).length >= 3);
		return others.length === 2 && polled.includes(failed!) && areLater;
	};
	await runUntil(failureIsRead, { ...endless, items: threeItems });
	const ids = simulator.tasks.slice(1, 3).map(({ id }) => id);
	expect((await namedBy(manual())).sort()).toEqual([...ids].sort());
	const polls = simulator.count('poll');
	const wait = videoNode({ operation: 'wait', taskId: ids.join(', ') });
	const { error } = await runUntil(() => simulator.count('poll') > polls, wait);
	expect(error?.description).toMatch(
		/still being made, and billed\. Executing this node again costs nothing(<br>)?\n/,
	);
	expect((await namedBy(manual({ operation: 'get', taskId: NOTHING }))).sort()).toEqual(
		[...ids].sort(),
	);
});

test('the console tells the progress of a video once in ten seconds, of at most twenty videos', async () => {
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const now = jest.spyOn(systemClock, 'now');
	let ms = 0;
	now.mockImplementation(() => (ms += 0));
	let progress = 0;
	service.respond = (request) => {
		if (request.startsWith('POST')) return rawJson({ id: 'request', data: [{ id: 'task-1' }] });
		progress += 10;
		// Of ten polls, each third is ten seconds after the one that was told.
		ms += 4_000;
		const status = progress < 100 ? 'processing' : 'completed';
		return rawJson({ id: 'task-1', status, progress, url: progress < 100 ? null : service.url });
	};
	await runNode(service, videoNode());
	const told = tell.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('%'));
	expect(told).toEqual(
		[10, 40, 70, 100].map(
			(percent) =>
				`Node "Node", execution 1: video task task-1: ${percent < 100 ? 'processing' : 'completed'}, ${percent} % [item 0]`,
		),
	);
	tell.mockClear();
	const many = Array.from({ length: 21 }, () => ({}));
	await runNode(simulator, { ...videoNode(), items: many });
	expect(tell.mock.calls.filter(([text]) => String(text).includes('%'))).toEqual([]);
});

test('a run stopped during a submission logs that the submission may have been accepted', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'hang', matching: 'Two' });
	const { error } = await runUntil(() => simulator.count('submit') === 2, {
		...videoNode({ options: sequential }),
		items: threeItems,
	});
	const [{ id } = { id: '' }] = simulator.tasks;
	expect(lines.slice(-2)).toEqual([
		expect.stringMatching(
			/stopped during a submission, which the service may have accepted: check your account.* \[item 1\]$/,
		),
		expect.stringContaining(`[item 0] ${id}: `),
	]);
	expect(error?.message).toMatch(/canceled during a billable request, which .* \[item 1\]/);
	expect(error?.message).toContain('Submissions that the service may have accepted: item 1');
	expect(error?.description).toMatch(/Check your account before you run it again/);
});

test('the second call of a stopped run with Retry On Fail still says that a submission may have been accepted', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'hang', matching: 'Two' });
	const { error } = await runUntil(() => simulator.count('submit') === 2, {
		...videoNode({ operation: 'submit', options: sequential }),
		items: threeItems,
		tries: 2,
	});
	expect(error?.message).toContain('Submissions that the service may have accepted: item 1');
});

test('a run stopped before its submission is sent logs nothing', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'rate-limit' });
	const refused = () => attempts.filter((line) => line.includes('status 429'));
	await runUntil(() => refused().length === 3, { ...videoNode(), items: threeItems });
	expect(lines).toEqual([]);
});

describe('a task ID of 350 characters', () => {
	const id = `video_${'a1'.repeat(172)}`;

	test('is whole in the log and in the error, and not in the custom data', async () => {
		service.respond = (request) =>
			request.startsWith('POST')
				? rawJson({ id: 'request', data: [{ id }] })
				: rawResponse('401 Unauthorized', '{"error":{"message":"no","type":"invalid_api_key"}}');
		const { error, run } = await runNode(service, videoNode());
		expect(lines.join()).toContain(`submitted video task ${id} [item 0]`);
		expect(error?.description).toContain(`[item 0] ${id}: processing`);
		expect(run.data.resultData.metadata).not.toHaveProperty('video_task_ids');
	});
});
