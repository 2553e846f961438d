import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';
import { until } from '../../clock/until';

const simulator = useSimulator({ videoSeconds: 0.05 });

const video = (parameters: object = {}): NodeRun => ({
	...videoNode({
		waitOptions: { pollInterval: 0.02, maxWait: 0.3 },
		requestOptions: { maxRetries: 0 },
		...parameters,
	}),
	items: [{ prompt: 'One' }, { prompt: 'Two' }],
});
const endless = [{ prompt: 'One [fault:task-endless]' }, { prompt: 'Two' }];

/** Every way a run can fail after its videos were submitted. */
const FAILURES: Array<[name: string, run: () => NodeRun]> = [
	['Max Wait is over', () => ({ ...video(), items: endless })],
	[
		'a video fails',
		() => ({ ...video(), items: [{ prompt: '[fault:task-failed-string]' }, { prompt: 'Two' }] }),
	],
	[
		'a third item is refused',
		() => ({
			...video({ requestOptions: { maxConcurrency: 1, maxRetries: 0 } }),
			items: [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: '[fault:invalid-request]' }],
		}),
	],
	[
		'the key is refused while waiting',
		() => {
			simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
			return video();
		},
	],
	[
		'a download fails',
		() => {
			simulator.inject({ endpoint: 'download', fault: 'html-404' });
			return video({ download: true });
		},
	],
	['a submission has four videos', () => ({ ...video({ options: { n: 4 } }), items: endless })],
];

test.each(FAILURES)(
	'Stop Workflow: the error lists every video with its status and URL if %s',
	async (_name, run) => {
		const { error } = await runNode(simulator, run());
		expect(simulator.tasks.length).toBeGreaterThanOrEqual(2);
		const [, list = ''] = /^Tasks of this run: (.*)$/m.exec(error?.description ?? '') ?? [];
		const tasks = list.split(/ (?=\(\d+\) )/);
		expect(tasks).toHaveLength(simulator.tasks.length);
		for (const { id } of simulator.tasks) {
			const number = tasks.findIndex((text) => text.includes(id)) + 1;
			expect(tasks[number - 1]).toMatch(
				new RegExp(`^\\(${number}\\) ${id}: (processing|completed, http\\S+|failed)$`),
			);
		}
	},
);

test('Continue: each video has its own error item if the key is refused while waiting', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
	const { items } = await runNode(simulator, { ...video(), onError: 'continueRegularOutput' });
	const ids = items.map(({ json }) => (json.error as { task_id: string }).task_id);
	// Two items are submitted at the same time and may arrive in any order.
	const idOf = (prompt: string) => simulator.tasks.find((task) => task.prompt === prompt)?.id;
	expect(ids).toEqual([idOf('One'), idOf('Two')]);
});

test('Submit, repeated by Retry On Fail, outputs the revised prompt of the first try', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', matching: 'Two', times: 1 });
	const parameters = { operation: 'submit', requestOptions: { maxConcurrency: 1, maxRetries: 0 } };
	const { items } = await runNode(simulator, { ...video(parameters), tries: 2 });
	expect(simulator.count('submit')).toBe(3);
	expect(items.map(({ json }) => json.revised_prompt)).toEqual([
		expect.stringContaining('One'),
		expect.stringContaining('Two'),
	]);
});

test('a stopped execution keeps its task IDs in the saved data', async () => {
	const stop = new AbortController();
	const running = runNode(simulator, {
		...video({ waitOptions: { pollInterval: 0.02 } }),
		items: [endless[0]!, endless[0]!],
		signal: stop.signal,
	});
	await until(() => simulator.count('poll') >= 4);
	stop.abort();
	const { run } = await running;
	const saved = JSON.stringify(run.data.executionData?.contextData);
	for (const { id } of simulator.tasks) expect(saved).toContain(id);
});

test('after n8n is killed during a wait, the operation Wait gets each video by its task ID', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'unavailable' });
	const child = spawn(
		process.execPath,
		[
			'--import',
			'tsx',
			join(__dirname, '../../engine/generateForever.ts'),
			simulator.url,
			simulator.key,
		],
		{ stdio: 'ignore' },
	);
	const exited = once(child, 'exit');
	await until(() => simulator.tasks.length === 3 && simulator.count('poll') >= 3);
	child.kill('SIGKILL');
	expect(await exited).toEqual([null, 'SIGKILL']);

	simulator.clearFaults();
	const ids = simulator.tasks.map(({ id }) => ({ id }));
	const { items } = await runNode(simulator, {
		...video({ operation: 'wait', taskId: '={{ $json.id }}', download: true }),
		items: ids,
	});
	expect(items.map(({ json }) => json.task_id)).toEqual(ids.map(({ id }) => id));
	expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed', 'completed']);
	expect(items.every(({ binary }) => binary?.data !== undefined)).toBe(true);
	expect(simulator.submissions).toBe(1);
});
