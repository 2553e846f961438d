import { ExecuteContext } from 'n8n-core';
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

test('a stopped run names its tasks in one warning, in its error, and in a hint of the next manual run', async () => {
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const endless = videoNode({ prompt: '[fault:task-endless]', options: { n: 2 } });
	const { error } = await runUntil(() => arePolled(simulator, 2, 3), { ...endless, tries: 3 });
	const ids = simulator.tasks.map(({ id }) => id);
	const list = ids.map((id) => `[item 0] ${id}: processing`).join(' ');
	const how =
		'To get them without paying again, add a second Video Generation node with the operation Wait and these task IDs';
	const all = `IDs: ${ids.join(', ')}`;
	const advice = `They are still being made, and billed. ${how}. ${all}`;
	const warning = `Node "Node", execution 1: stopped. Tasks of this run: ${list}. ${advice}`;
	expect(lines.filter((line) => line.includes('stopped'))).toEqual([warning]);
	expect(tell.mock.lastCall).toEqual([warning]);
	expect(error?.message).toMatch(new RegExp(`${all}$`));
	expect(error?.message).toContain(`${list}. ${advice}`);
	expect(error?.description).toContain(list);
	expect(error?.description).not.toMatch(/^\n|\n$/);
	const onError = 'continueRegularOutput' as const;
	const manual = { ...videoNode(), mode: 'manual' as const, onError, tries: 2 };
	simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', times: 1 });
	const hint = `The run that was stopped paid for 2 videos. ${how}. ${all}`;
	const empty = videoNode({ operation: 'wait', taskId: '={{ $json.task_id }}' });
	// n8n drops the hints of a run that fails.
	const failed = await runNode(simulator, { ...empty, mode: 'manual' });
	expect(failed.error?.message).toContain('Task ID');
	expect(failed.error?.description).toContain(hint);
	const { hints } = await runNode(simulator, manual);
	expect(hints.filter((each) => each.includes('was stopped'))).toEqual([hint]);
	expect((await runNode(simulator, manual)).hints.join()).not.toContain('was stopped');
});

test('of a stopped run with more than a hundred videos, the newest hundred are named by hints', async () => {
	const options = { n: 4, ...sequential };
	const many = videoNode({ prompt: '[fault:task-endless]', options });
	const items = Array.from({ length: 26 }, (_, row) => ({ row }));
	const submitted = () => lines.filter((line) => line.includes('submitted')).length;
	await runUntil(() => submitted() === items.length, { ...many, items });
	const { hints } = await runNode(simulator, { ...videoNode(), mode: 'manual', tries: 2 });
	const named = hints.flatMap(
		(hint) => / paid for 100 videos\. .* IDs: (.*)/.exec(hint)?.[1]?.split(', ') ?? [],
	);
	const newest = simulator.tasks.slice(4, 104).map(({ id }) => id);
	expect(named).toEqual(newest);
});

test('of more than a hundred nodes that were stopped, the newest hundred are remembered', async () => {
	// Nodes of as many workflows.
	jest.spyOn(ExecuteContext.prototype, 'getWorkflow').mockImplementation(function (
		this: ExecuteContext,
	) {
		return { id: this.getExecutionId(), name: 'Workflow', active: false };
	});
	const all = Array.from({ length: 101 }, (_, number) => `${number}`);
	const runAll = async (ids: string[], node: Partial<NodeRun>) =>
		await Promise.all(
			ids.map(
				async (executionId) => await runNode(simulator, { ...videoNode(), ...node, executionId }),
			),
		);
	const endless = videoNode({ prompt: '[fault:task-endless]' });
	const submitted = () => lines.filter((line) => line.includes('submitted')).length;
	for (const ids of [all.slice(0, 1), all.slice(1)]) {
		const expected = submitted() + ids.length;
		const run = async (signal: AbortSignal) => await runAll(ids, { ...endless, signal });
		await stopWhen(() => submitted() === expected, run);
	}
	const isHinted = (await runAll(all, { mode: 'manual' })).map(({ hints }) =>
		hints.some((hint) => hint.includes('that was stopped paid for 1 video')),
	);
	expect(isHinted).toEqual(all.map((_, number) => number > 0));
});

test('a run that was stopped names no video that had failed or that another run submitted, and none to a copy of its workflow', async () => {
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
	const manual = { ...videoNode(), mode: 'manual' as const };
	const taskHints = async (node: NodeRun) =>
		(await runNode(simulator, node)).hints.filter((hint) => hint.includes('that was stopped'));
	expect(await taskHints({ ...manual, mode: 'trigger' })).toEqual([]);
	// The nodes of a copy have the same IDs.
	const copy = jest.spyOn(ExecuteContext.prototype, 'getWorkflow');
	copy.mockReturnValue({ id: 'copy', name: 'Copy', active: false });
	expect(await taskHints(manual)).toEqual([]);
	copy.mockRestore();
	const [hint = '', ...more] = await taskHints(manual);
	expect(more).toEqual([]);
	expect(simulator.tasks.slice(0, 3).map(({ id }) => hint.includes(id))).toEqual([
		false,
		true,
		true,
	]);
	const polls = simulator.count('poll');
	const taskId = simulator.tasks[1]!.id;
	const wait = videoNode({ operation: 'wait', taskId });
	const { error } = await runUntil(() => simulator.count('poll') > polls, wait);
	expect(await taskHints(manual)).toEqual([]);
	expect(error?.description).toMatch(
		/still being made, and billed\. Executing this node again costs nothing$/,
	);
});

test('after a Stop, a manual run whose first item fails still has the hint about the stopped run', async () => {
	const endless = videoNode({ prompt: '[fault:task-endless]' });
	await runUntil(() => arePolled(simulator, 1, 1), endless);
	simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough' });
	const onError = 'continueRegularOutput' as const;
	const { hints } = await runNode(simulator, { ...videoNode(), mode: 'manual', onError });
	expect(hints).toContainEqual(expect.stringContaining(simulator.tasks[0]!.id));
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
	expect(error?.message).toMatch(
		/^The execution was canceled during a billable request, .* \[item 1\]\./,
	);
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
