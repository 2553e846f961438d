import { setTimeout as pause } from 'node:timers/promises';
import { type NodeGiven, ours, workflowOf } from '../browser/workflow';
import { until } from '../host/until';
import { Cluster } from './host/cluster';
import { waitNode } from './host/peers';
import {
	call,
	called,
	callWebhook,
	ended,
	splitOut,
	untilCounted,
	video,
	webhook,
} from './host/videos';

// What docs/scaling.md tells an operator about n8n's own edges, with n8n's Wait node beside ours.

/** n8n's Wait node waits in the database from 65 s on. */
const WAIT_S = 66;
/** Finished when the first pause ends. */
const VIDEO_S = 40;
const SLOTS = 5;
/** n8n looks for waits that are due every 60 s. */
const MAX_RESUME_MS = 150_000;

let cluster: Cluster;
beforeAll(async () => {
	cluster = await Cluster.start({
		workers: 2,
		concurrency: SLOTS,
		service: { videoSeconds: VIDEO_S },
	});
});
afterEach(() => cluster.simulator.reset());
afterAll(async () => await cluster?.stop());

async function publish(path: string, given: NodeGiven[], settings: object = {}): Promise<string> {
	const workflow = workflowOf(path, cluster.credential, given);
	return await cluster.api.publishWorkflow({
		...workflow,
		settings: { ...workflow.settings, ...settings },
	});
}

async function latest(workflow: string): Promise<string> {
	const [execution] = await cluster.api.executions(workflow);
	return execution?.id ?? '';
}

async function statuses(workflow: string): Promise<string[]> {
	return (await cluster.api.executions(workflow)).map(({ status }) => status);
}

/** The items of a node in the latest execution. */
async function items(workflow: string, node: string) {
	const { runData } = await cluster.api.executionData(await latest(workflow));
	return (runData[node]?.at(-1)?.data?.main[0] ?? []).map(({ json }) => json);
}

async function killWorkers(): Promise<void> {
	await Promise.all(cluster.workers.splice(0).map(async (worker) => await worker.kill()));
}

async function restartMain(): Promise<void> {
	await cluster.main.kill();
	await cluster.restartMain();
}

const COMPLETED = { status: 'completed' };
const prompts = splitOut('Prompts', 'body.prompts');
/** A child with one item waits in memory: its parent may run it once for each. */
const TWO = { prompts: ['a', 'b'] };

test('a worker without the package ends what it resumes and wipes its data: the task ID is in the log', async () => {
	const id = await publish('bare', [webhook('bare'), video('database')]);
	const peer = await publish('bare-wait', [webhook('bare-wait'), waitNode(WAIT_S)]);
	for (const path of ['bare', 'bare-wait']) await callWebhook(cluster, path);
	for (const each of [id, peer]) await untilCounted(cluster, each, ['waiting'], 1);
	await killWorkers();
	await cluster.startWorker({ hasPackage: false });
	for (const each of [id, peer]) await untilCounted(cluster, each, ended, 1);
	const { error, runData } = await cluster.api.executionData(await latest(id));
	expect(error?.message).toContain('Unrecognized node type');
	expect(runData).toEqual({});
	// n8n's own nodes are in every worker.
	expect(await statuses(peer)).toEqual(['success']);

	await killWorkers();
	for (let worker = 0; worker < 2; worker += 1) await cluster.startWorker();
	await cluster.api.retry(await latest(id)).catch(() => undefined);
	expect(await statuses(id)).not.toContain('success');
	expect(cluster.simulator.submissions).toBe(1);
	const [{ id: taskId } = { id: '' }] = cluster.simulator.tasks;
	expect(await cluster.logs()).toContain(taskId);
	const wait = ours('Wait', 'videoGeneration', { operation: 'wait', taskId });
	const fetched = await publish('bare-fetch', [webhook('bare-fetch'), wait]);
	await callWebhook(cluster, 'bare-fetch');
	await untilCounted(cluster, fetched, ended, 1);
	expect(await items(fetched, 'Wait')).toMatchObject([COMPLETED]);
});

test('Execute Workflow, "Run once for each item", returns the item of each child, as none waits in the database, and of n8n\'s Wait node one alone; "Run once with all items" those of all', async () => {
	const child = await publish('each-child', [called, video('database')]);
	const peerChild = await publish('each-peer-child', [called, waitNode(WAIT_S)]);
	const parent = async (path: string, of: string, mode: 'each' | 'once') =>
		await publish(path, [webhook(path), prompts, call('Call', of, mode)]);
	const each = await parent('each', child, 'each');
	const peer = await parent('each-peer', peerChild, 'each');
	const once = await parent('once', child, 'once');
	for (const path of ['each', 'each-peer', 'once'])
		await callWebhook(cluster, path, 1, { prompts: ['a', 'b', 'c'] });
	for (const id of [each, peer, once]) await untilCounted(cluster, id, ['success'], 1);
	for (const id of [each, once])
		expect(await items(id, 'Call')).toMatchObject([COMPLETED, COMPLETED, COMPLETED]);
	expect(await items(peer, 'Call')).toHaveLength(1);
	// Three children, and one with three items.
	await untilCounted(cluster, child, ['success'], 4);
	expect(cluster.simulator.submissions).toBe(6);
});

test('Stop and Retry of a parent, or of its child: the videos are in the execution of the child, and the parent has its own input', async () => {
	const child = await publish('stop-child', [called, video('database')]);
	const peerChild = await publish('stop-peer-child', [called, waitNode(WAIT_S)]);
	const parent = await publish('stop', [webhook('stop'), prompts, call('Call', child)]);
	const peer = await publish('stop-peer', [webhook('stop-peer'), prompts, call('Call', peerChild)]);
	const expectOwnInput = async (id: string) =>
		expect(await items(id, 'Call')).toEqual(await items(id, 'Prompts'));
	for (const path of ['stop', 'stop-peer']) await callWebhook(cluster, path, 1, TWO);
	for (const id of [child, peerChild, parent, peer])
		await untilCounted(cluster, id, ['waiting'], 1);
	for (const id of [parent, peer]) {
		await cluster.api.stopExecution(await latest(id));
		await untilCounted(cluster, id, ['canceled'], 1);
		await cluster.api.retry(await latest(id));
		await untilCounted(cluster, id, ['success'], 1);
		await expectOwnInput(id);
	}
	for (const id of [child, peerChild]) await untilCounted(cluster, id, ['success'], 1);
	expect(await items(child, 'Video')).toMatchObject([COMPLETED, COMPLETED]);
	expect(cluster.simulator.submissions).toBe(2);

	await callWebhook(cluster, 'stop', 1, TWO);
	await untilCounted(cluster, child, ['waiting'], 1);
	await cluster.api.stopExecution(await latest(child));
	await untilCounted(cluster, child, ['canceled'], 1);
	// n8n ends a parent whose child has ended, within a minute.
	await untilCounted(cluster, parent, ['error'], 1);
	await cluster.api.retry(await latest(child));
	await untilCounted(cluster, child, ['success'], 2);
	expect(await items(child, 'Video')).toMatchObject([COMPLETED, COMPLETED]);
	expect(cluster.simulator.submissions).toBe(4);
});

test('a child that ends while main is dead resumes its parent when main is back', async () => {
	const after: NodeGiven = { ...waitNode(25), name: 'After' };
	const child = await publish('dead-child', [called, video('database'), after]);
	const peerChild = await publish('dead-peer-child', [called, waitNode(WAIT_S), after]);
	const parent = await publish('dead', [webhook('dead'), prompts, call('Call', child)]);
	const peer = await publish('dead-peer', [webhook('dead-peer'), prompts, call('Call', peerChild)]);
	for (const path of ['dead', 'dead-peer']) await callWebhook(cluster, path, 1, TWO);
	for (const id of [child, peerChild]) await untilCounted(cluster, id, ['waiting'], 1);
	for (const id of [child, peerChild]) await untilCounted(cluster, id, ['running'], 1);
	await cluster.main.kill();
	await pause(40_000);
	await cluster.restartMain();
	for (const id of [child, peerChild, parent, peer])
		await untilCounted(cluster, id, ['success'], 1);
	expect(await items(parent, 'Call')).toHaveLength(2);
	expect(await items(child, 'Video')).toMatchObject([COMPLETED, COMPLETED]);
});

test('in queue mode Timeout Workflow does not count the time of a wait in the database', async () => {
	const timeout = { executionTimeout: 60 };
	const id = await publish('timeout', [webhook('timeout'), video('database')], timeout);
	const peer = await publish('timeout-peer', [webhook('timeout-peer'), waitNode(WAIT_S)], timeout);
	for (const path of ['timeout', 'timeout-peer']) await callWebhook(cluster, path);
	for (const each of [id, peer]) await untilCounted(cluster, each, ended, 1);
	for (const each of [id, peer]) expect(await statuses(each)).toEqual(['success']);
});

test('Redis without appendonly forgets what waits for a worker: it is crashed when main restarts, and Retry submits it once', async () => {
	const occupied = await publish('occupied', [webhook('occupied'), waitNode(30)]);
	const id = await publish('queued', [webhook('queued'), video('memory')]);
	const peer = await publish('queued-peer', [webhook('queued-peer'), waitNode(20)]);
	await callWebhook(cluster, 'occupied', 2 * SLOTS);
	for (const path of ['queued', 'queued-peer']) await callWebhook(cluster, path);
	await cluster.servers.redis.crash();
	await untilCounted(cluster, occupied, ['success'], 2 * SLOTS);
	await pause(30_000);
	for (const each of [id, peer]) expect(await statuses(each)).toEqual(['new']);
	await restartMain();
	for (const each of [id, peer]) {
		await untilCounted(cluster, each, ['crashed'], 1);
		await cluster.api.retry(await latest(each));
		await untilCounted(cluster, each, ['success'], 1);
	}
	expect(cluster.simulator.submissions).toBe(1);
});

/** Kills all workers, loses the jobs of Redis, and restarts everything. */
async function loseJobs(workflows: string[]): Promise<void> {
	await killWorkers();
	await until(async () => {
		const all = await Promise.all(workflows.map(statuses));
		return all.flat().every((status) => status !== 'waiting');
	}, MAX_RESUME_MS);
	await cluster.servers.redis.crash();
	for (let worker = 0; worker < 2; worker += 1) await cluster.startWorker();
	for (const id of workflows) expect(new Set(await statuses(id))).toEqual(new Set(['running']));
}

test('an execution that is lost after a pause: crashed, or running until it is stopped; Retry waits for the same video', async () => {
	const id = await publish('crashed', [webhook('crashed'), video('database')]);
	const peer = await publish('crashed-peer', [webhook('crashed-peer'), waitNode(WAIT_S)]);
	const stuck = await publish('stuck', [webhook('stuck'), video('database')]);
	for (const path of ['crashed', 'crashed-peer', 'stuck']) await callWebhook(cluster, path);
	for (const each of [id, peer, stuck]) await untilCounted(cluster, each, ['waiting'], 1);
	await loseJobs([id, peer, stuck]);
	await cluster.api.stopExecution(await latest(stuck));
	await untilCounted(cluster, stuck, ['canceled'], 1);
	await restartMain();
	for (const each of [id, peer]) await untilCounted(cluster, each, ['crashed'], 1);
	for (const each of [id, peer, stuck]) {
		await cluster.api.retry(await latest(each));
		await untilCounted(cluster, each, ['success'], 1);
	}
	for (const each of [id, stuck]) expect(await items(each, 'Video')).toMatchObject([COMPLETED]);
	expect(cluster.simulator.submissions).toBe(2);
});

test('an execution that is lost in its first run: n8n kept its beginning alone, so Retry submits again', async () => {
	const id = await publish('first', [webhook('first'), video('memory')]);
	await callWebhook(cluster, 'first');
	await until(isEachTaskLogged);
	await loseJobs([id]);
	await restartMain();
	await untilCounted(cluster, id, ['crashed'], 1);
	await cluster.api.retry(await latest(id));
	await untilCounted(cluster, id, ['success'], 1);
	expect(await items(id, 'Video')).toMatchObject([COMPLETED]);
	expect(cluster.simulator.submissions).toBe(2);
	expect(await isEachTaskLogged()).toBe(true);
});

async function isEachTaskLogged(): Promise<boolean> {
	const { tasks } = cluster.simulator;
	const logs = await cluster.logs();
	return tasks.length > 0 && tasks.every((task) => logs.includes(task.id));
}
