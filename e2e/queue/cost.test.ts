// Needs a quiet machine: it measures.

import type { NodeGiven } from '../browser/workflow';
import { submitByHttp, waitNode } from './host/peers';
import { record } from './host/results';
import { SingleN8n } from './host/singleN8n';
import { callWebhook, scaled, video, webhook } from './host/videos';

const EXECUTIONS = scaled(200);
const WARM_UP = 40;
const MAX_MS = 500_000;
/** As long as the node waits for a video here. */
const WAIT_S = 67;

let n8n: SingleN8n;
beforeAll(async () => {
	n8n = await SingleN8n.start({ videoSeconds: 40 });
});
afterAll(async () => await n8n?.stop());

/** @param name of the result, and of the webhook */
async function measure(name: string, nodes: NodeGiven[], executions = EXECUTIONS) {
	const path = name.replace(/\W+/g, '-');
	const id = await n8n.publish(name, [webhook(path), ...nodes]);
	const reached = async (...status: string[]) =>
		await n8n.untilCounted(id, status, executions, MAX_MS);
	const before = await n8n.cpuMs();
	await callWebhook(n8n, path, executions);
	// On a slow machine the first executions resume before the last one starts.
	await reached('waiting', 'success');
	const bytesEach = Math.round(n8n.storedBytes(id));
	await reached('success');
	const cpuMsEach = Math.round((10 * ((await n8n.cpuMs()) - before)) / executions) / 10;
	return { executions, cpuMsEach, bytesEach };
}

test(
	`${EXECUTIONS} waits for a video cost n8n little more than ${EXECUTIONS} waits of its own Wait node`,
	async () => {
		const candidates: Record<string, NodeGiven[]> = {
			Wait: [waitNode(WAIT_S)],
			'HTTP Request, Wait': [submitByHttp(n8n.simulator), waitNode(WAIT_S)],
			Video: [video('database')],
		};
		const figures: Record<string, Awaited<ReturnType<typeof measure>>> = {};
		// The first runs of a process cost more.
		const all = Object.entries(candidates);
		await Promise.all(
			all.map(async ([name, nodes]) => await measure(`${name}, warm-up`, nodes, WARM_UP)),
		);
		for (const [name, nodes] of all) {
			figures[name] = await measure(name, nodes);
			await record('One n8n, waiting executions', name, figures[name]);
		}
		const { Wait, Video } = figures;
		expect(Number(Video?.cpuMsEach) / Number(Wait?.cpuMsEach)).toBeLessThan(1.4);
		// Its form, which n8n stores twice, its task, and the error of the item if it is stopped.
		expect(Number(Video?.bytesEach) / Number(Wait?.bytesEach)).toBeLessThan(2.5);
	},
	6 * MAX_MS,
);
