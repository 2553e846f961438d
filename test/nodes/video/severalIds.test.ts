import { runNode } from '../../engine/runNode';
import { useLog } from '../../engine/useLog';
import { useSimulator } from '../../engine/useServers';
import { stopWhen } from '../../clock/until';
import { arePolled } from './polls';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0 });
const lines = useLog('info', 'warn');

/** Submits videos, and returns their IDs. */
async function submitted(n: number, taskId?: (number: number) => string): Promise<string[]> {
	const { items } = await runNode(simulator, videoNode({ operation: 'submit', options: { n } }));
	for (const [index, task] of simulator.tasks.entries()) task.id = taskId?.(index) ?? task.id;
	return taskId
		? simulator.tasks.map(({ id }) => id)
		: items.map(({ json }) => String(json.task_id));
}

const statuses = (taskIds: string[]) =>
	taskIds.map((task_id) => expect.objectContaining({ task_id, status: 'completed' }) as unknown);

describe.each(['wait', 'get'])('the operation %s', (operation) => {
	test.each([
		['commas', ', '],
		['spaces', '  '],
		['line breaks', '\r\n'],
		['commas alone, one of them at the end', ','],
	])('gets several tasks whose IDs have %s in between, an item each', async (_what, between) => {
		const ids = await submitted(3);
		const taskId = ` ${ids.join(between)}${between}`;
		const { items } = await runNode(simulator, {
			...videoNode({ operation, taskId }),
			items: [{ row: 1 }],
		});
		expect(items.map(({ json }) => json)).toEqual(statuses(ids));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(Array(3).fill({ item: 0 }));
	});

	test('gets the tasks at the end of an error of the node', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
		const { error } = await runNode(simulator, videoNode({ options: { n: 2 } }));
		const ids = simulator.tasks.map(({ id }) => id);
		const [, taskId] = error?.description?.split('IDs: ') ?? [];
		const { items } = await runNode(simulator, videoNode({ operation, taskId }));
		expect(items.map(({ json }) => json)).toEqual(statuses(ids));
	});

	test('gets the videos that an error lists, of which one failed', async () => {
		const rows = ['One', '[fault:task-failed-object]', 'Two'].map((prompt) => ({ prompt }));
		const generate = videoNode({ prompt: '={{ $json.prompt }}' });
		const { error } = await runNode(simulator, { ...generate, items: rows });
		const [, taskId] = error?.description?.split('IDs: ') ?? [];
		const { items } = await runNode(simulator, videoNode({ operation, taskId }));
		const ids = simulator.tasks.filter(({ status }) => status !== 'failed').map(({ id }) => id);
		expect(items.map(({ json }) => json)).toEqual(statuses(ids));
	});

	test('gets the IDs that an expression puts together, each once', async () => {
		const ids = await submitted(2);
		const { items } = await runNode(simulator, {
			...videoNode({ operation, taskId: '={{ $json.rows.map((row) => row.task_id).join() }}' }),
			items: [{ rows: [...ids, ...ids].map((task_id) => ({ task_id })) }],
		});
		expect(items.map(({ json }) => json)).toEqual(statuses(ids));
	});

	test.each(['={{ $json.task_id }}', "={{ $('Start').item.json['task_id'] }}"])(
		'reads an ID with a space and a comma where %s is one',
		async (taskId) => {
			const [task_id] = await submitted(1, () => 'videos/a boat, at dusk');
			const { items } = await runNode(simulator, {
				...videoNode({ operation, taskId }),
				items: [{ task_id }],
			});
			expect(items.map(({ json }) => json)).toEqual(statuses([String(task_id)]));
		},
	);

	test('makes an error item of the one that the service does not know', async () => {
		const [first = '', second = ''] = await submitted(2);
		const { items } = await runNode(simulator, {
			...videoNode({ operation, taskId: `${first}, task-unknown, ${second}` }),
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json)).toEqual([
			...statuses([first]),
			{ error: expect.objectContaining({ task_id: 'task-unknown', code: 'task_not_found' }) },
			...statuses([second]),
		]);
	});

	test('takes at most a hundred IDs for one item, and says so before it polls', async () => {
		const ids = Array.from({ length: 101 }, (_, number) => `task-${number}`);
		const node = (taskId: string[]) => videoNode({ operation, taskId: taskId.join() });
		const { error: ofMost } = await runNode(simulator, node(ids.slice(1)));
		expect(ofMost?.message).toContain('not found');
		const polls = simulator.count('poll');
		const { error } = await runNode(simulator, node(ids));
		expect(error?.message).toContain('Task ID has 101 IDs, and 100 are the most for one item');
		expect(simulator.count('poll')).toBe(polls);
	});
});

test("gets the tasks that n8n's log and a hint name after a Stop", async () => {
	const endless = videoNode({ prompt: '[fault:task-endless]', options: { n: 2 } });
	const items = [{}, {}];
	const run = async (signal: AbortSignal) =>
		await runNode(simulator, { ...endless, items, signal });
	await stopWhen(() => arePolled(simulator, 4, 1), run);
	const empty = videoNode({ operation: 'wait', taskId: '={{ "" }}' });
	const { error } = await runNode(simulator, { ...empty, mode: 'manual' });
	const hint = error?.description ?? '';
	const ids = simulator.tasks.map(({ id }) => id).sort();
	for (const text of [hint, String(lines.find((line) => line.includes('stopped. ')))]) {
		const [, taskId] = text.split('IDs: ');
		const { items } = await runNode(simulator, videoNode({ operation: 'get', taskId }));
		expect(items.map(({ json }) => json.task_id).sort()).toEqual(ids);
	}
});
