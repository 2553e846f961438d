import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator';
import { manualStart, type NodeGiven, ours, workflowOf } from '../browser/workflow';
import { freePort } from '../host/freePort';
import { type Credential, N8nApi } from '../host/n8nApi';
import { n8nEnvironment, n8nProgram, type N8nServer, startN8n } from '../host/n8nServer';
import { copyPackage } from '../host/packageInstall';
import { runCommand } from '../host/runCommand';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';
import { sharedEnvironment } from '../setup/environment';

/** A pause of 65 to 70 seconds, which n8n ends up to a minute late after a restart. */
const MAX_WAIT_MS = 240_000;
const MAX_MS = 2 * MAX_WAIT_MS;
const VIDEO_S = 20;

let userFolder: string;
let simulator: Simulator;
let n8n: N8nServer;
let api: N8nApi;
let credential: Credential;

beforeAll(async () => {
	userFolder = await mkdtemp(join(tmpdir(), 'n8n-database-wait-'));
	await copyPackage(sharedEnvironment().userFolder, userFolder);
	simulator = await startSimulator({ videoSeconds: VIDEO_S });
	n8n = await startN8n(userFolder);
	api = await N8nApi.signIn(n8n.url);
	credential = await saveSimulatorCredential(api, simulator);
}, MAX_MS);

afterAll(async () => {
	await n8n?.stop();
	await simulator?.close();
	await rm(userFolder, { recursive: true, force: true });
});

/** Starts n8n again, as a supervisor does. */
async function restart(): Promise<void> {
	n8n = await startN8n(userFolder, undefined, Number(new URL(n8n.url).port));
}

function video(prompt: string, parameters: object = {}, waitOptions: object = {}): NodeGiven {
	return ours('Video', 'videoGeneration', {
		model: { __rl: true, mode: 'id', value: 'kite-motion' },
		prompt,
		waitOptions: { waitIn: 'database', ...waitOptions },
		...parameters,
	});
}

function webhook(path: string, responseMode = 'onReceived'): NodeGiven {
	const type = 'n8n-nodes-base.webhook';
	const parameters = { httpMethod: 'POST', path, responseMode, options: {} };
	return { name: 'Webhook', type, typeVersion: 2.1, parameters, webhookId: path };
}

const call = async (path: string) => await fetch(`${n8n.url}/webhook/${path}`, { method: 'POST' });

/**
 * Waits for the status of the latest execution. A busy machine starts n8n more slowly than a wait ends, and n8n calls such an
 * execution crashed (its Wait node's, too), although it runs: a user retries it.
 * @returns how often
 */
async function untilStatus(workflow: string, wanted: string): Promise<number> {
	let retries = 0;
	await until(async () => {
		const [latest] = await api.executions(workflow);
		if (latest?.status === 'crashed') {
			retries += 1;
			await api.retry(latest.id);
		}
		return latest?.status === wanted;
	}, MAX_WAIT_MS);
	return retries;
}

/** The output of the node in the latest execution: the items of each run and output, and its hints. */
async function outputOf(workflow: string, node = 'Video') {
	const [{ id } = { id: '' }] = await api.executions(workflow);
	const { runData } = await api.executionData(id);
	return (runData[node] ?? []).map(({ data, hints }) => ({
		outputs: data?.main.map((items) => (items ?? []).map(({ json }) => json)) ?? [],
		hints: hints?.map(({ message }) => message) ?? [],
	}));
}

const nodes = {
	'a webhook, two videos and their files': [
		webhook('two'),
		video('A boat', { download: true, options: { n: 2 } }),
	],
	'a button of the editor': [manualStart, video('A kite')],
	'a refused item on the error branch': [
		webhook('branch'),
		{ ...video('[fault:invalid-request]'), onError: 'continueErrorOutput' },
	],
	'a failed video and Retry On Fail': [
		webhook('failing'),
		{ ...video('[fault:task-failed-object]'), retryOnFail: true, maxTries: 2 },
	],
} satisfies Record<string, NodeGiven[]>;

test(
	'kill -9 of n8n while videos are waited for in its database loses none of them',
	async () => {
		const ids: Record<string, string> = {};
		for (const [name, given] of Object.entries(nodes)) {
			const id = await api.createWorkflow(workflowOf(name, credential, given));
			ids[name] = id;
			if (given.some(({ type }) => type === 'n8n-nodes-base.webhook')) await api.publish(id);
			const path = given.find(({ webhookId }) => webhookId)?.webhookId;
			if (path === undefined) await api.execute(id, 'Start');
			else await call(path);
		}
		for (const name of Object.keys(nodes).filter((name) => !name.includes('refused'))) {
			await untilStatus(ids[name] ?? '', 'waiting');
		}
		const shown = await outputOf(ids['a webhook, two videos and their files'] ?? '');
		expect(shown).toMatchObject([
			{ outputs: [[{ status: 'processing' }, { status: 'processing' }]] },
		]);

		await n8n.kill();
		await restart();

		await untilStatus(ids['a webhook, two videos and their files'] ?? '', 'success');
		await untilStatus(ids['a button of the editor'] ?? '', 'success');
		const retries = await untilStatus(ids['a failed video and Retry On Fail'] ?? '', 'error');
		const files = await outputOf(ids['a webhook, two videos and their files'] ?? '');
		expect(files).toMatchObject([
			{ outputs: [[{ status: 'completed' }, { status: 'completed' }]] },
		]);
		expect(await outputOf(ids['a button of the editor'] ?? '')).toMatchObject([
			{ outputs: [[{ status: 'completed' }]] },
		]);
		const videosOf = (given: string) =>
			simulator.tasks.filter(({ prompt }) => prompt === given).length;
		expect([videosOf('A boat'), videosOf('A kite')]).toEqual([2, 1]);
		// Retry On Fail has two tries. Retry of an execution that still runs makes its failed video again, too.
		const failed = videosOf('[fault:task-failed-object]');
		expect(failed).toBeGreaterThanOrEqual(2);
		expect(failed).toBeLessThanOrEqual(2 + retries);
	},
	MAX_MS,
);

const run = async (name: string, given: NodeGiven[], settings: object = {}): Promise<string> => {
	const workflow = workflowOf(name, credential, given);
	const whole = { ...workflow, settings: { ...workflow.settings, ...settings } };
	const id = await api.publishWorkflow(whole);
	return id;
};

test('where n8n cannot keep the wait, the node waits in memory and the execution says why', async () => {
	simulator.reset();
	const v0 = await run('v0', [webhook('v0'), video('A boat')], { executionOrder: 'v0' });
	const answering = await run('answering', [webhook('answering', 'lastNode'), video('A kite')]);
	const headless = await api.createWorkflow(
		workflowOf('headless', credential, [manualStart, video('A train')]),
	);
	const env = {
		...n8nEnvironment(userFolder),
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
	};
	const execute = [n8nProgram, 'execute', `--id=${headless}`, '--rawOutput'];
	const [, answer, printed] = await Promise.all([
		call('v0'),
		call('answering'),
		runCommand(process.execPath, execute, { cwd: userFolder, env }),
	]);
	expect(await answer.json()).toMatchObject({ status: 'completed' });
	expect(printed).toMatch(/"status":\s*"completed"/);
	await untilStatus(v0, 'success');
	const why = 'Waited in memory: ';
	expect((await outputOf(v0))[0]?.hints).toContain(
		`${why}the workflow uses the old execution order (v0)`,
	);
	expect((await outputOf(answering))[0]?.hints).toContain(
		`${why}the caller of the workflow waits for its response`,
	);
	expect(simulator.submissions).toBe(3);
});

test(
	'an execution that is stopped while it waits, and retried, gets the same video',
	async () => {
		simulator.reset();
		const id = await run('stopped', [webhook('stopped'), video('A boat')]);
		await call('stopped');
		await untilStatus(id, 'waiting');
		const [waiting] = await api.executions(id);
		await api.stopExecution(waiting?.id ?? '');
		await untilStatus(id, 'canceled');
		await api.retry(waiting?.id ?? '');
		await untilStatus(id, 'success');
		expect(await outputOf(id)).toMatchObject([{ outputs: [[{ status: 'completed' }]] }]);
		expect(simulator.submissions).toBe(1);
	},
	MAX_MS,
);
