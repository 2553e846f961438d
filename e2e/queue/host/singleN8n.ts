import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator';
import { type NodeGiven, workflowOf } from '../../browser/workflow';
import { installN8n } from '../../host/install';
import { type Credential, N8nApi } from '../../host/n8nApi';
import { type N8nServer, startN8n } from '../../host/n8nServer';
import { copyPackage, installPackage } from '../../host/packageInstall';
import { saveSimulatorCredential } from '../../host/seed';
import type { Step } from '../../host/steps';
import { until } from '../../host/until';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;
const MIB = 2 ** 20;

const memoryUsage = z.object({ heapUsed: z.number(), rss: z.number() });

/** One n8n without a queue, and its costs. Its SQLite database is read directly, without work for n8n. */
export class SingleN8n {
	private constructor(
		private readonly folder: string,
		readonly simulator: Simulator,
		readonly main: N8nServer,
		private readonly api: N8nApi,
		private readonly credential: Credential,
	) {}

	/** @param like has the package already, which takes a while to pack */
	static async start(service: SimulatorOptions, like?: SingleN8n): Promise<SingleN8n> {
		const folder = await mkdtemp(join(tmpdir(), 'n8n-cost-'));
		if (like === undefined) {
			await installN8n(step);
			await installPackage(folder, step);
		} else await copyPackage(like.folder, folder);
		const simulator = await startSimulator(service);
		const main = await startN8n(folder, undefined, undefined, {
			NODE_OPTIONS: `--require ${join(__dirname, 'memoryProbe.cjs')}`,
		});
		const api = await N8nApi.signIn(main.url);
		const credential = await saveSimulatorCredential(api, simulator);
		return new SingleN8n(folder, simulator, main, api, credential);
	}

	/** @returns the id of a published workflow */
	async publish(name: string, nodes: NodeGiven[]): Promise<string> {
		const id = await this.api.publishWorkflow(workflowOf(name, this.credential, nodes));
		return id;
	}

	async untilCounted(
		workflow: string,
		status: string[],
		count: number,
		longestMs: number,
	): Promise<void> {
		const places = status.map(() => '?').join();
		const query = `SELECT count(*) AS figure FROM execution_entity WHERE workflowId = ? AND status IN (${places})`;
		await until(() => this.figure(query, workflow, ...status) >= count, longestMs);
	}

	/** Bytes that n8n stores for each waiting execution. */
	storedBytes(workflow: string): number {
		const query = `SELECT avg(length(data)) AS figure FROM execution_data
			JOIN execution_entity ON execution_entity.id = executionId WHERE execution_entity.workflowId = ? AND status = 'waiting'`;
		return this.figure(query, workflow);
	}

	private figure(query: string, ...values: string[]): number {
		const database = new DatabaseSync(join(this.folder, '.n8n', 'database.sqlite'), {
			readOnly: true,
		});
		try {
			return Number(database.prepare(query).get(...values)?.figure);
		} finally {
			database.close();
		}
	}

	/** CPU time of the process so far. */
	async cpuMs(): Promise<number> {
		const stat = await readFile(`/proc/${this.main.pid}/stat`, 'utf8');
		const fields = stat.split(') ')[1]?.split(' ') ?? [];
		return TICK_MS * (Number(fields[11]) + Number(fields[12]));
	}

	/** The memory of the process after a garbage collection: its JavaScript heap, and its pages. */
	async memory(): Promise<{ heapMiB: number; rssMiB: number }> {
		const file = join(this.folder, 'memory.json');
		await rm(file, { force: true });
		process.kill(this.main.pid, 'SIGUSR2');
		const text = async () => await readFile(file, 'utf8').catch(() => undefined);
		await until(async () => (await text()) !== undefined);
		const { heapUsed, rss } = memoryUsage.parse(JSON.parse((await text()) ?? ''));
		return { heapMiB: heapUsed / MIB, rssMiB: rss / MIB };
	}

	/** Stops everything and deletes all files. */
	async stop(): Promise<void> {
		await this.main.kill();
		await this.simulator.close();
		await rm(this.folder, { recursive: true, force: true });
	}
}

const step: Step = async (_, work) => await work;
