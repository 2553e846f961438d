// Needs a quiet machine: it measures.

import { ours, workflowOf } from '../browser/workflow';
import { Cluster } from './host/cluster';
import { record } from './host/results';
import { callWebhook, splitOut, untilCounted, webhook } from './host/videos';

const LIMIT = { requestsPerSecond: 4, burst: 4 };
const EXECUTIONS = 24;
const VIDEOS = 20;
/** Each process estimates the limit for itself. */
const MOST = 1.25;

test('three workers that share a limit of 4 requests a second take little longer than the minimum time, and nothing fails', async () => {
	const cluster = await Cluster.start({
		workers: 3,
		concurrency: 10,
		service: { rateLimit: LIMIT },
	});
	try {
		const prompts = splitOut('Prompts', 'query.prompts');
		const submit = ours('Submit', 'videoGeneration', {
			operation: 'submit',
			model: { __rl: true, mode: 'id', value: 'kite-motion' },
			prompt: 'A boat',
		});
		const given = [webhook('limited'), prompts, submit];
		const id = await cluster.api.publishWorkflow(workflowOf('limited', cluster.credential, given));
		const query = Array.from({ length: VIDEOS }, (_, index) => `prompts[]=${index}`).join('&');
		await callWebhook(cluster, `limited?${query}`, EXECUTIONS);
		await untilCounted(cluster, id, ['success', 'error', 'crashed'], EXECUTIONS);
		const times = cluster.simulator.tasks.map(({ createdAt }) => createdAt);
		const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
		const requests = EXECUTIONS * VIDEOS;
		const least = (requests - LIMIT.burst) / LIMIT.requestsPerSecond;
		const ratio = Math.round((100 * seconds) / least) / 100;
		await record('A limit of 4 requests a second, 3 workers', 'submit', {
			requests,
			seconds: Math.round(seconds),
			ratio,
		});
		expect(await cluster.api.countExecutions(id, ['success'])).toBe(EXECUTIONS);
		expect(cluster.simulator.submissions).toBe(requests);
		expect(ratio).toBeLessThan(MOST);
	} finally {
		await cluster.stop();
	}
});
