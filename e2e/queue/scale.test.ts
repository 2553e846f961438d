// Needs a quiet machine: it measures.

import { workflowOf } from '../browser/workflow';
import { Cluster } from './host/cluster';
import { record } from './host/results';
import { callWebhook, ended, scaled, untilCounted, video, webhook } from './host/videos';

const VIDEO_S = 60;
/** The shortest pause that n8n ends on time is 65 to 70 s, and all executions resume at once. */
const SECONDS_PER_VIDEO = 1.5;
const SECONDS_MORE = 60;

async function timed(cluster: Cluster, waitIn: 'memory' | 'database', executions: number) {
	const path = `${waitIn}-${executions}`;
	const given = [webhook(path), video(waitIn)];
	const id = await cluster.api.publishWorkflow(workflowOf(path, cluster.credential, given));
	cluster.simulator.reset();
	const begin = performance.now();
	await callWebhook(cluster, path, executions);
	await untilCounted(cluster, id, ended, executions);
	const seconds = Math.round((performance.now() - begin) / 1000);
	expect(await cluster.api.countExecutions(id, ['success'])).toBe(executions);
	expect(cluster.simulator.submissions).toBe(executions);
	return seconds;
}

describe('three workers with ten slots each', () => {
	let cluster: Cluster;
	beforeAll(async () => {
		const service = { videoSeconds: VIDEO_S };
		cluster = await Cluster.start({ workers: 3, concurrency: 10, service });
	});
	afterAll(async () => await cluster?.stop());

	const executions = scaled(60);
	test.each(['memory', 'database'] as const)(
		`${executions} executions that wait in %s all succeed, and each video is paid once`,
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

describe('two workers with two slots each', () => {
	let cluster: Cluster;
	beforeAll(async () => {
		const service = { videoSeconds: VIDEO_S };
		cluster = await Cluster.start({ workers: 2, concurrency: 2, service });
	});
	afterAll(async () => await cluster?.stop());

	const executions = scaled(200);
	test(`${executions} videos are generated at the same time while their executions wait in the database`, async () => {
		const seconds = await timed(cluster, 'database', executions);
		await record(`${executions} executions, 2 workers × 2`, 'database', {
			executions,
			seconds,
			videoSeconds: VIDEO_S,
		});
		expect(seconds).toBeLessThan(SECONDS_PER_VIDEO * VIDEO_S + SECONDS_MORE);
	});
});

/** Long enough that all executions with a slot start before the first one ends. */
const IN_FLIGHT_VIDEO_S = 30;

describe('one worker', () => {
	let cluster: Cluster;
	beforeAll(async () => {
		const service = { videoSeconds: IN_FLIGHT_VIDEO_S };
		cluster = await Cluster.start({ workers: 0, concurrency: 10, service });
	});
	afterAll(async () => await cluster?.stop());

	/** The largest number of unfinished tasks at one moment. */
	function mostInFlight(): number {
		const created = cluster.simulator.tasks.map(({ createdAt }) => createdAt);
		const atSubmission = created.map(
			(now) =>
				created.filter((time) => time <= now && time > now - 1000 * IN_FLIGHT_VIDEO_S).length,
		);
		return Math.max(...atSubmission);
	}

	test.each([5, 10])(
		'with %d slots has a video in flight for each slot with waits in memory, and all videos with waits in the database',
		async (concurrency) => {
			const executions = 2 * concurrency;
			await cluster.startWorker({ concurrency });
			for (const waitIn of ['memory', 'database'] as const) {
				await timed(cluster, waitIn, executions);
				const inFlight = mostInFlight();
				const name = `1 worker × ${concurrency}, videos in flight`;
				await record(name, waitIn, { executions, inFlight });
				expect(inFlight).toBe(waitIn === 'memory' ? concurrency : executions);
			}
			await cluster.workers.shift()?.stop();
		},
	);
});
