import { type NodeGiven, manualStart, workflowOf } from '../browser/workflow';
import { Cluster } from './host/cluster';
import {
	call,
	callWebhook,
	called,
	ended,
	splitOut,
	untilCounted,
	video,
	webhook,
} from './host/videos';

const VIDEO_S = 20;

let cluster: Cluster;
beforeAll(async () => {
	cluster = await Cluster.start({ workers: 3, concurrency: 5, service: { videoSeconds: VIDEO_S } });
});
afterEach(() => cluster.simulator.reset());
afterAll(async () => await cluster?.stop());

/** @param changes parts of the workflow that differ from those of {@link workflowOf} */
async function publish(path: string, given: NodeGiven[], changes: object = {}): Promise<string> {
	const workflow = { ...workflowOf(path, cluster.credential, given), ...changes };
	const id = await cluster.api.publishWorkflow(workflow);
	return id;
}

async function latest(workflow: string) {
	const [execution] = await cluster.api.executions(workflow);
	return execution;
}

/** The output of the node in the latest execution: the items of each output. */
async function outputs(workflow: string, node = 'Video') {
	const execution = await latest(workflow);
	const { runData } = await cluster.api.executionData(execution?.id ?? '');
	return (runData[node] ?? []).map(({ data }) =>
		(data?.main ?? []).map((items) => (items ?? []).map(({ json }) => json)),
	);
}

test('files that different workers download are stored in the database, and main serves them', async () => {
	const id = await publish('files', [webhook('files'), video('database', { download: true })]);
	await callWebhook(cluster, 'files', 6);
	await untilCounted(cluster, id, ended, 6);
	expect(await cluster.api.countExecutions(id, ['success'])).toBe(6);
	for (const execution of await cluster.api.executions(id)) {
		const { runData } = await cluster.api.executionData(execution.id);
		const [item] = runData.Video?.at(-1)?.data?.main[0] ?? [];
		const file = (item?.binary as { data?: { id?: string } } | undefined)?.data?.id ?? '';
		expect(file).toMatch(/^database:/);
		const response = await cluster.api.download(file);
		expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
	}
});

test('each video is submitted once, whichever way n8n runs the node', async () => {
	const retried = { retryOnFail: true, maxTries: 2 };
	const failing = video('database', { prompt: '[fault:task-failed-object]' });
	const refused = video('database', { prompt: '[fault:invalid-request]' });
	const ids = {
		branch: await publish('branch', [
			webhook('branch'),
			{ ...failing, onError: 'continueErrorOutput' },
		]),
		tries: await publish('tries', [webhook('tries'), { ...failing, ...retried }]),
		refused: await publish('refused', [
			webhook('refused'),
			{ ...refused, onError: 'continueRegularOutput' },
		]),
		v0: await publish('v0', [webhook('v0'), video('database')], {
			settings: { executionOrder: 'v0' },
		}),
		responding: await publish('responding', [webhook('responding', 'lastNode'), video('database')]),
		child: await publish('child', [called, video('database')]),
		parent: '',
	};
	ids.parent = await publish('parent', [webhook('parent'), call('Call', ids.child)]);
	const paths = ['branch', 'tries', 'refused', 'v0', 'responding', 'parent'] as const;
	const responses = await Promise.all(paths.map(async (path) => await callWebhook(cluster, path)));
	for (const path of paths) await untilCounted(cluster, ids[path], ended, 1);

	expect(await outputs(ids.branch)).toMatchObject([
		[[], [{ error: { code: 'generation_failed' } }]],
	]);
	expect(await latest(ids.tries)).toMatchObject({ status: 'error' });
	expect(await outputs(ids.refused)).toMatchObject([[[{ error: { http_status: 400 } }]]]);
	expect(await outputs(ids.v0)).toMatchObject([[[{ status: 'completed' }]]]);
	expect(await responses[paths.indexOf('responding')]?.[0]?.json()).toMatchObject({
		status: 'completed',
	});
	expect(await outputs(ids.parent, 'Call')).toMatchObject([[[{ status: 'completed' }]]]);
	// One for each, and one for the second try of the failed video.
	expect(cluster.simulator.submissions).toBe(6);
});

test('Loop Over Items waits once for each batch and returns the videos in order', async () => {
	const prompts = ['one', 'two', 'three'];
	const given = [
		webhook('loop'),
		splitOut('Prompts', 'body.prompts'),
		{
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 2, options: {} },
		},
		video('database', { prompt: "={{ $json['body.prompts'] }}" }),
	];
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	const { connections } = workflowOf('loop', cluster.credential, given);
	const id = await publish('loop', given, {
		// The first output of the loop is done, the second one is a batch.
		connections: {
			...connections,
			Loop: { main: [[], to('Video')] },
			Video: { main: [to('Loop')] },
		},
	});
	await callWebhook(cluster, 'loop', 1, { prompts });
	await untilCounted(cluster, id, ended, 1);

	const completed = { status: 'completed' };
	expect(await outputs(id)).toMatchObject([[[completed, completed]], [[completed]]]);
	const [done = []] = (await outputs(id, 'Loop')).at(-1) ?? [];
	const promptOf = new Map(cluster.simulator.tasks.map((task) => [task.id, task.prompt]));
	expect(done.map((video) => promptOf.get(String(video.task_id)))).toEqual(prompts);
	expect(cluster.simulator.submissions).toBe(prompts.length);
});

test('an execution that is stopped while it waits and retried gets the same video', async () => {
	const id = await publish('stopped', [webhook('stopped'), video('database')]);
	await callWebhook(cluster, 'stopped');
	await untilCounted(cluster, id, ['waiting'], 1);
	const execution = await latest(id);
	await cluster.api.stopExecution(execution?.id ?? '');
	await untilCounted(cluster, id, ['canceled'], 1);
	// n8n responds when the retried execution has ended.
	await cluster.api.retry(execution?.id ?? '');
	await untilCounted(cluster, id, ['success'], 1);
	expect(await outputs(id)).toMatchObject([[[{ status: 'completed' }]]]);
	expect(cluster.simulator.submissions).toBe(1);
});

test('a manual execution on a worker shows one run with its video', async () => {
	const id = await cluster.api.createWorkflow(
		workflowOf('manual', cluster.credential, [manualStart, video('database')]),
	);
	await cluster.api.execute(id, 'Start');
	await untilCounted(cluster, id, ['success'], 1);
	expect(await outputs(id)).toMatchObject([[[{ status: 'completed' }]]]);
	expect(cluster.simulator.submissions).toBe(1);
});
