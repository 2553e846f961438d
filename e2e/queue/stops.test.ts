import { ours, workflowOf } from '../browser/workflow';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';
import { type Simulator, startSimulator } from '../../simulator';
import { Cluster } from './host/cluster';
import { record } from './host/results';
import { callWebhook, ended, scaled, splitOut, untilCounted, video, webhook } from './host/videos';

const WORKERS = 3;
const SLOTS = scaled(10);
/** One for each slot, so the worker that is stopped has its share. */
const EXECUTIONS = WORKERS * SLOTS;
/** One video is finished within n8n's graceful shutdown time of 30 s, the other one is not. */
const SHORT_S = 20;
const LONG_S = 60;
/** Longer than the graceful shutdown time, so n8n exits by itself. */
const MAX_STOP_MS = 60_000;

let cluster: Cluster;
let simulator: Simulator;
beforeAll(async () => {
	cluster = await Cluster.start({ workers: WORKERS, concurrency: SLOTS });
});
afterEach(async () => await simulator.close());
afterAll(async () => await cluster?.stop());

/** Submits a video in each execution, and stops a worker while all of them wait in memory. */
async function stopWorkerWhileWaiting(name: string, videoSeconds: number) {
	simulator = await startSimulator({ videoSeconds });
	const credential = await saveSimulatorCredential(cluster.api, simulator, name);
	const path = `stop-${videoSeconds}`;
	const id = await cluster.api.publishWorkflow(
		workflowOf(name, credential, [webhook(path), video('memory')]),
	);
	await callWebhook(cluster, path, EXECUTIONS);
	await until(() => simulator.submissions === EXECUTIONS);
	await cluster.workers.shift()?.stop(MAX_STOP_MS);
	await cluster.startWorker();
	await untilCounted(cluster, id, ended, EXECUTIONS);
	const success = await cluster.api.countExecutions(id, ['success']);
	await record(name, 'memory', { executions: EXECUTIONS, success, videoSeconds });
	return { id, credential, success };
}

test('SIGTERM of a worker, waits in memory shorter than the graceful shutdown time: all executions succeed', async () => {
	const { success } = await stopWorkerWhileWaiting('SIGTERM of a worker, short wait', SHORT_S);
	expect(success).toBe(EXECUTIONS);
	expect(simulator.submissions).toBe(EXECUTIONS);
});

test('SIGTERM of a worker, waits in memory longer than the graceful shutdown time: no video is paid twice, and Wait gets the videos by the task IDs in the log', async () => {
	const stopped = await stopWorkerWhileWaiting('SIGTERM of a worker, long wait', LONG_S);
	const { id, credential, success } = stopped;
	expect(success).toBe(EXECUTIONS - SLOTS);
	expect(await cluster.api.countExecutions(id, ['success', 'error'])).toBe(EXECUTIONS);
	const logs = await cluster.logs();
	expect(simulator.tasks.filter((task) => !logs.includes(task.id))).toEqual([]);

	// n8n keeps no data of these executions, so its Retry has nothing to run.
	for (const execution of await cluster.api.executions(id, ['error'])) {
		const { runData } = await cluster.api.executionData(execution.id);
		expect(runData).toEqual({});
		await cluster.api.retry(execution.id);
	}
	expect(simulator.submissions).toBe(EXECUTIONS);

	const tasks = splitOut('Tasks', 'body.tasks');
	const wait = ours('Wait', 'videoGeneration', {
		operation: 'wait',
		taskId: "={{ $json['body.tasks'] }}",
	});
	const given = [webhook('wait'), tasks, wait];
	const waiting = await cluster.api.publishWorkflow(workflowOf('wait', credential, given));
	await callWebhook(cluster, 'wait', 1, { tasks: simulator.tasks.map((task) => task.id) });
	await untilCounted(cluster, waiting, ended, 1);
	const [execution] = await cluster.api.executions(waiting);
	const { runData } = await cluster.api.executionData(execution?.id ?? '');
	const videos = runData.Wait?.at(-1)?.data?.main[0] ?? [];
	expect(videos).toHaveLength(EXECUTIONS);
	expect(videos.every(({ json }) => json.status === 'completed')).toBe(true);
	expect(simulator.submissions).toBe(EXECUTIONS);
});
