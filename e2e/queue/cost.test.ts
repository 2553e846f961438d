import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Simulator, startSimulator } from '../../simulator';
import { type NodeGiven, workflowOf } from '../browser/workflow';
import { installN8n } from '../host/install';
import { type Credential, N8nApi } from '../host/n8nApi';
import { type N8nServer, startN8n } from '../host/n8nServer';
import { installPackage } from '../host/packageInstall';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';
import { record } from './host/results';
import { scaled, video, webhook } from './host/videos';

const EXECUTIONS = scaled(500);
const LONGEST_MS = 500_000;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** n8n's own, which waits in the database from 65 s on. */
const waitNode: NodeGiven = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount: 66, unit: 'seconds' },
	webhookId: 'wait',
};

let folder: string;
let simulator: Simulator;
let n8n: N8nServer;
let api: N8nApi;
let credential: Credential;

beforeAll(async () => {
	const step = async <Result>(_: string, work: Promise<Result>) => await work;
	await installN8n(step);
	folder = await mkdtemp(join(tmpdir(), 'n8n-cost-'));
	await installPackage(folder, step);
	simulator = await startSimulator({ videoSeconds: 40 });
	n8n = await startN8n(folder);
	api = await N8nApi.signIn(n8n.url);
	credential = await saveSimulatorCredential(api, simulator);
});
afterAll(async () => {
	await n8n?.stop();
	await simulator?.close();
	await rm(folder, { recursive: true, force: true });
});

async function cpuMs(): Promise<number> {
	const fields = (await readFile(`/proc/${n8n.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
	return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}

async function memoryMiB(): Promise<number> {
	const status = await readFile(`/proc/${n8n.pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Bytes that n8n stores of each waiting execution. */
function storedBytes(workflow: string): number {
	const database = new DatabaseSync(join(folder, '.n8n', 'database.sqlite'), { readOnly: true });
	const query = `SELECT avg(length(data)) AS bytes FROM execution_data
		JOIN execution_entity ON execution_entity.id = executionId WHERE execution_entity.workflowId = ? AND status = 'waiting'`;
	const row = database.prepare(query).get(workflow);
	database.close();
	return Number(row?.bytes);
}

async function measure(path: string, node: NodeGiven) {
	const id = await api.createWorkflow(workflowOf(path, credential, [webhook(path), node]));
	await api.publish(id);
	const reached = async (...status: string[]) =>
		await until(async () => (await api.countExecutions(id, status)) === EXECUTIONS, LONGEST_MS);
	const before = await cpuMs();
	let left = EXECUTIONS;
	const caller = async () => {
		while (left-- > 0) await fetch(`${n8n.url}/webhook/${path}`, { method: 'POST' });
	};
	await Promise.all(Array.from({ length: 8 }, caller));
	// On a slow machine the first are resumed before the last has begun.
	await reached('waiting', 'success');
	const bytes = Math.round(storedBytes(id));
	const memory = Math.round(await memoryMiB());
	await reached('success');
	const cpu = Math.round((10 * ((await cpuMs()) - before)) / EXECUTIONS) / 10;
	const figures = { executions: EXECUTIONS, cpuMsEach: cpu, bytesEach: bytes, memoryMiB: memory };
	await record('One n8n, waiting executions', node.name, figures);
	return figures;
}

test(
	`${EXECUTIONS} waits for a video cost n8n little more than as many of its own Wait node`,
	async () => {
		// What a process does for the first time costs it more.
		await measure('warm-up', waitNode);
		const theirs = await measure('wait', waitNode);
		const ours = await measure('video', video('database'));
		expect(ours.cpuMsEach / theirs.cpuMsEach).toBeLessThan(1.4);
		expect(ours.bytesEach / theirs.bytesEach).toBeLessThan(2);
		expect(ours.memoryMiB / theirs.memoryMiB).toBeLessThan(1.1);
	},
	3 * LONGEST_MS,
);
