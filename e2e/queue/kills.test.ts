// Needs a quiet machine: n8n must be back before the waits of a minute end.

import { workflowOf } from '../browser/workflow';
import { until } from '../host/until';
import { Cluster } from './host/cluster';
import { record } from './host/results';
import { callWebhook, ended, scaled, untilCounted, video, webhook } from './host/videos';

const VIDEO_S = 40;
const EXECUTIONS = scaled(30);

let cluster: Cluster;
beforeAll(async () => {
	cluster = await Cluster.start({
		workers: 3,
		concurrency: 10,
		service: { videoSeconds: VIDEO_S },
	});
});
afterAll(async () => await cluster?.stop());

async function begin(name: string, waitIn: 'memory' | 'database'): Promise<string> {
	const path = name.replaceAll(' ', '-');
	const given = [webhook(path), video(waitIn, { options: { n: 2 } })];
	const id = await cluster.api.publishWorkflow(workflowOf(name, cluster.credential, given));
	cluster.simulator.reset();
	await callWebhook(cluster, path, EXECUTIONS);
	return id;
}

async function replaceWorker(end: 'kill' | 'stop'): Promise<void> {
	const worker = cluster.workers.shift();
	await worker?.[end]();
	await cluster.startWorker();
}

const KILLS: Record<string, () => Promise<void>> = {
	'SIGKILL of a worker': async () => await replaceWorker('kill'),
	'SIGTERM of a worker': async () => await replaceWorker('stop'),
	'SIGKILL of main': async () => {
		await cluster.main.kill();
		await cluster.restartMain();
	},
	'SIGKILL of main and a worker': async () => {
		await cluster.main.kill();
		await replaceWorker('kill');
		await cluster.restartMain();
	},
};

test.each(Object.entries(KILLS))(
	'%s while executions wait in the database: all succeed, and each video is paid once',
	async (name, kill) => {
		const id = await begin(`database, ${name}`, 'database');
		await untilCounted(cluster, id, ['waiting'], EXECUTIONS);
		await kill();
		await untilCounted(cluster, id, ended, EXECUTIONS);
		const success = await cluster.api.countExecutions(id, ['success']);
		await record(name, 'database', { executions: EXECUTIONS, success });
		expect(success).toBe(EXECUTIONS);
		expect(cluster.simulator.submissions).toBe(EXECUTIONS);
	},
);

test('SIGKILL of a worker while executions wait in memory: no video is paid twice, and every task ID is in a log', async () => {
	const id = await begin('memory, SIGKILL of a worker', 'memory');
	const { simulator } = cluster;
	await untilCounted(cluster, id, ['running'], EXECUTIONS);
	await until(() => simulator.submissions === EXECUTIONS);
	await replaceWorker('kill');
	await untilCounted(cluster, id, ended, EXECUTIONS);
	const success = await cluster.api.countExecutions(id, ['success']);
	await record('SIGKILL of a worker', 'memory', { executions: EXECUTIONS, success });
	expect(simulator.submissions).toBe(EXECUTIONS);
	const logs = await cluster.logs();
	expect(simulator.tasks.filter((task) => !logs.includes(task.id))).toEqual([]);
});
