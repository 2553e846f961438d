import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator';
import { installN8n } from '../../host/install';
import { type Credential, N8nApi } from '../../host/n8nApi';
import { type N8nProcess, type N8nServer, startN8n, startWorker } from '../../host/n8nServer';
import { copyPackage, installPackage } from '../../host/packageInstall';
import { saveSimulatorCredential } from '../../host/seed';
import type { Step } from '../../host/steps';
import { DATABASE, startPostgres, USER } from './postgres';
import { startRedis } from './redis';
import type { Server } from './server';

export interface ClusterOptions {
	workers: number;
	/** Executions that one worker runs at the same time. */
	concurrency: number;
	service?: SimulatorOptions;
	/** Whether Redis may be killed. Default: it keeps its data in memory only. */
	keepsRedis?: boolean;
}

/** n8n in queue mode on this machine: Postgres, Redis, main and workers, with the simulated service beside them. */
export class Cluster {
	readonly workers: N8nProcess[] = [];
	private workersStarted = 0;

	private constructor(
		readonly folder: string,
		readonly servers: { postgres: Server; redis: Server },
		private readonly settings: NodeJS.ProcessEnv,
		readonly simulator: Simulator,
		readonly concurrency: number,
		public main: N8nServer,
		readonly api: N8nApi,
		readonly credential: Credential,
	) {}

	static async start({
		workers,
		concurrency,
		service,
		keepsRedis = false,
	}: ClusterOptions): Promise<Cluster> {
		await installN8n(step);
		const folder = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
		const postgres = await startPostgres(folder);
		const redis = await startRedis(folder, keepsRedis);
		const mainFolder = join(folder, 'main');
		await installPackage(mainFolder, step);
		const settings = {
			N8N_ENCRYPTION_KEY: 'of-this-cluster',
			EXECUTIONS_MODE: 'queue',
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_DATABASE: DATABASE,
			DB_POSTGRESDB_USER: USER,
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_LOG_LEVEL: 'info',
			// n8n's default. Other tests here use a shorter time.
			N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30',
			// With this module, waits that end while main is down may crash: see docs/scaling.md.
			N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,chat-hub,mcp,otel',
		};
		const simulator = await startSimulator(service);
		const main = await startN8n(mainFolder, undefined, undefined, settings);
		const api = await N8nApi.signIn(main.url);
		const credential = await saveSimulatorCredential(api, simulator);
		const servers = { postgres, redis };
		const cluster = new Cluster(
			folder,
			servers,
			settings,
			simulator,
			concurrency,
			main,
			api,
			credential,
		);
		for (let worker = 0; worker < workers; worker += 1) await cluster.startWorker();
		return cluster;
	}

	/**
	 * Each worker has a folder of its own. In a shared folder, a worker that starts takes the executions of the others for
	 * its own from before a crash, and ends them.
	 */
	async startWorker({ concurrency = this.concurrency, hasPackage = true } = {}): Promise<void> {
		const folder = join(this.folder, `worker-${(this.workersStarted += 1)}`);
		if (hasPackage) await copyPackage(join(this.folder, 'main'), folder);
		this.workers.push(await startWorker(folder, concurrency, this.settings));
	}

	async restartMain(): Promise<void> {
		const port = Number(new URL(this.main.url).port);
		this.main = await startN8n(join(this.folder, 'main'), undefined, port, this.settings);
	}

	/** The logs of main and all workers so far. */
	async logs(): Promise<string> {
		const names = Array.from({ length: this.workersStarted }, (_, index) => `worker-${index + 1}`);
		const files = ['main', ...names].map((name) => join(this.folder, name, 'n8n.log'));
		return (await Promise.all(files.map(async (file) => await readFile(file, 'utf8')))).join('\n');
	}

	/** Stops everything and deletes all files. */
	async stop(): Promise<void> {
		await Promise.all([this.main, ...this.workers].map(async (n8n) => await n8n.kill()));
		await this.simulator.close();
		for (const server of Object.values(this.servers)) await server.stop();
		await rm(this.folder, { recursive: true, force: true });
	}
}

const step: Step = async (what, work) => {
	process.stdout.write(`${what}\n`);
	return await work;
};
