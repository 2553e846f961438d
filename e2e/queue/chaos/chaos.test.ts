import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../host/until';
import { Cluster } from '../host/cluster';
import { callWebhook, ended } from '../host/videos';
import { WebhookCalls } from './webhookCalls';

const WORKERS = 3;
const ORDER_EVERY_MS = 2_800;
const KILL_AFTER_MS = 12_000;
const KILL_SPREAD_MS = 6_000;
/** For how long any process may be killed. */
const CHAOS_MS = 1000 * Number(process.env.CHAOS_SECONDS ?? 300);
/** After the last kill: a wait that is resumed, its videos, and n8n's recovery of a stalled job. */
const MAX_SETTLE_MS = 300_000;

let cluster: Cluster;
beforeAll(async () => {
	cluster = await Cluster.start({
		workers: WORKERS,
		concurrency: 5,
		service: { videoSeconds: [30, 90], latencyMs: 300 },
		keepsRedis: true,
	});
});
afterAll(async () => await cluster?.stop());

const say = (what: string, details: unknown = '') =>
	process.stdout.write(
		`${what} ${typeof details === 'string' ? details : JSON.stringify(details)}\n`,
	);

/** Kills a random process of n8n, Redis or Postgres, and starts it again. */
async function killOne(): Promise<string> {
	const { servers, workers } = cluster;
	const kills: Record<string, () => Promise<void>> = {
		async main() {
			await cluster.main.kill();
			await cluster.restartMain();
		},
		async worker() {
			await workers.splice(Math.floor(Math.random() * workers.length), 1)[0]?.kill();
			await cluster.startWorker();
		},
		redis: async () => await servers.redis.crash(),
		postgres: async () => await servers.postgres.crash(),
	};
	// Workers die as often as all others together.
	const names = ['worker', 'worker', 'worker', 'main', 'redis', 'postgres'];
	const name = names[Math.floor(Math.random() * names.length)] ?? 'worker';
	say('killed:', name);
	await kills[name]?.();
	return name;
}

/** A process that lost Redis or Postgres for too long ends by itself, as an operator's supervisor expects. */
async function restartThoseThatEnded(): Promise<void> {
	const hasEnded = async (n8n: { ended: Promise<unknown> }) =>
		await Promise.race([n8n.ended.then(() => true), pause(50).then(() => false)]);
	if (await hasEnded(cluster.main)) await cluster.restartMain();
	for (const worker of [...cluster.workers]) {
		if (!(await hasEnded(worker))) continue;
		cluster.workers.splice(cluster.workers.indexOf(worker), 1);
		await cluster.startWorker();
	}
}

/** Waits until nothing is open. What is open for longer is judged as it is. */
async function settle(calls: WebhookCalls): Promise<void> {
	// Just started, n8n refuses requests until its database is ready.
	const open = async () => await calls.open().catch(() => undefined);
	await until(async () => (await open()) === 0, MAX_SETTLE_MS).catch(() => undefined);
	await until(async () => (await open()) !== undefined);
}

test(
	'processes are killed at random: no video is paid twice, each is named, and what n8n calls a success is one',
	async () => {
		const calls = await WebhookCalls.open(cluster);
		const end = Date.now() + CHAOS_MS;
		let taken = 0;
		const calling = (async () => {
			for (let number = 0; Date.now() < end; number += 1) {
				const { path, body } = calls.next(number);
				// While main is dead there is nobody to take a call.
				const [response] = await callWebhook(cluster, path, 1, body).catch(() => []);
				if (response?.ok) taken += 1;
				await pause(ORDER_EVERY_MS);
			}
		})();
		const kills: string[] = [];
		while (Date.now() < end) {
			await pause(KILL_AFTER_MS + Math.random() * KILL_SPREAD_MS);
			kills.push(await killOne());
			await restartThoseThatEnded();
		}
		await calling;
		await restartThoseThatEnded();
		await settle(calls);

		const executions = await calls.executions();
		const count = (status: string) => executions.filter((one) => one.status === status).length;
		say('kills:', kills.join(' '));
		say(
			'executions:',
			Object.fromEntries([...ended, 'running', 'waiting'].map((s) => [s, count(s)])),
		);
		say('submissions:', cluster.simulator.submissions);
		const started = executions.filter(({ workflow }) => workflow !== 'child').length;
		say('calls that a webhook took:', `${taken}; executions that they started: ${started}`);
		expect(started).toBeGreaterThanOrEqual(taken);
		expect(calls.paidTwice()).toEqual([]);
		// Those whose response never came are known to nobody: a killed worker was about to read it.
		const unnamed = await calls.unnamed();
		say('in no log, with a killed first run:', unnamed.ofKilledRuns);
		expect(unnamed.others).toEqual([]);
		expect(await calls.wrongSuccesses()).toEqual([]);
		// n8n may leave an execution as `running`, `crashed`, or end it without data.
		const { submissions } = cluster.simulator;
		const remedied = await calls.remedy();
		await settle(calls);
		const inAll = (await calls.executions()).filter(({ status }) => status === 'success').length;
		say('remedied:', {
			executions: remedied,
			successes: inAll - count('success'),
			submissions: cluster.simulator.submissions - submissions,
		});
		expect(calls.paidTwice()).toEqual([]);
		expect(await calls.wrongSuccesses()).toEqual([]);
		expect(count('success')).toBeGreaterThan(executions.length / 2);
	},
	CHAOS_MS + 2 * MAX_SETTLE_MS + 300_000,
);
