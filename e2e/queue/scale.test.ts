import { workflowOf } from '../browser/workflow';
import { Cluster } from './host/cluster';
import { record } from './host/results';
import { callWebhook, scaled, untilCounted, video, webhook } from './host/videos';

const VIDEO_S = 60;
/** A pause of 65 to 70 s is the shortest that n8n ends on time, and all executions resume at once. */
const SECONDS_PER_VIDEO = 1.5;
const SECONDS_MORE = 60;

const ended = ['success', 'error', 'crashed', 'canceled'];

async function timed(cluster: Cluster, waitIn: 'memory' | 'database', executions: number) {
	const path = `${waitIn}-${executions}`;
	const given = [webhook(path), video(waitIn)];
	const id = await cluster.api.createWorkflow(workflowOf(path, cluster.credential, given));
	await cluster.api.publish(id);
	cluster.simulator.reset();
	const begin = performance.now();
	await callWebhook(cluster, path, executions);
	await untilCounted(cluster, id, ended, executions);
	const seconds = Math.round((performance.now() - begin) / 1000);
	expect(await cluster.api.countExecutions(id, ['success'])).toBe(executions);
	expect(cluster.simulator.submissions).toBe(executions);
	return seconds;
}

describe('three workers with ten places each', () => {
	let cluster: Cluster;
	beforeAll(async () => {
		const service = { videoSeconds: VIDEO_S };
		cluster = await Cluster.start({ workers: 3, concurrency: 10, service });
	});
	afterAll(async () => await cluster?.stop());

	const executions = scaled(60);
	test.each(['memory', 'database'] as const)(
		`${executions} executions that wait in %s all end well, each video paid once`,
		async (waitIn) => {
			const seconds = await timed(cluster, waitIn, executions);
			await record(`${executions} executions, 3 workers × 10`, waitIn, {
				executions,
				seconds,
				videoSeconds: VIDEO_S,
			});
		},
	);
});

describe('two workers with two places each', () => {
	let cluster: Cluster;
	beforeAll(async () => {
		const service = { videoSeconds: VIDEO_S };
		cluster = await Cluster.start({ workers: 2, concurrency: 2, service });
	});
	afterAll(async () => await cluster?.stop());

	const executions = scaled(200);
	test(`${executions} videos that are waited for in the database are made at the same time`, async () => {
		const seconds = await timed(cluster, 'database', executions);
		await record(`${executions} executions, 2 workers × 2`, 'database', {
			executions,
			seconds,
			videoSeconds: VIDEO_S,
		});
		expect(seconds).toBeLessThan(SECONDS_PER_VIDEO * VIDEO_S + SECONDS_MORE);
	});
});
