import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { N8N_FOLDER } from './folders';
import { freePort } from './freePort';
import { patience } from './patience';

const MAX_STARTUP_MS = 180_000;
const MAX_SHUTDOWN_MS = 15_000;
const LOG_TAIL_CHARACTERS = 4000;

export interface N8nProcess {
	readonly pid: number;
	readonly logFile: string;
	/** Resolves when n8n has ended, by itself or not. */
	readonly ended: Promise<unknown>;
	/**
	 * Ends n8n and everything it has started: with SIGTERM, and with SIGKILL when it needs longer.
	 * @param longestMs 15 s when not given
	 */
	stop(longestMs?: number): Promise<void>;
	/** Ends it at once, as a power failure does. */
	kill(): Promise<void>;
}

export interface N8nServer extends N8nProcess {
	/** The URL of the editor, without a trailing slash. */
	readonly url: string;
}

/** n8n's settings: only on this machine, without setup questions, and without requests to other servers. */
export function n8nEnvironment(userFolder: string): NodeJS.ProcessEnv {
	return {
		...process.env,
		// As in n8n's Docker image. Otherwise n8n loads every node when it starts.
		NODE_ENV: 'production',
		NODE_COMPILE_CACHE: join(N8N_FOLDER, 'node_modules', '.compile-cache'),
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_RESTRICT_FILE_ACCESS_TO: filesFolder(userFolder),
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,chat-hub,mcp',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
	};
}

/** The only folder that workflows may write to. */
export function filesFolder(userFolder: string): string {
	return join(userFolder, 'files');
}

/**
 * Starts the installed n8n and waits until the editor responds.
 * @param wantedPort if it is in use, another one is chosen
 * @param settings environment variables that differ from {@link n8nEnvironment}
 * @throws Error with the end of n8n's log if it does not start
 */
export async function startN8n(
	userFolder: string,
	signal?: AbortSignal,
	wantedPort?: number,
	settings: NodeJS.ProcessEnv = {},
): Promise<N8nServer> {
	const port = await freePort(wantedPort);
	const n8n = await launch('start', userFolder, {
		...settings,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
	});
	const server = { ...n8n, url: `http://localhost:${port}` };
	try {
		// The editor responds before the database does.
		const isReady = async () =>
			(await responds(`${server.url}/healthz/readiness`)) &&
			(await responds(`${server.url}/rest/settings`));
		await untilReady(isReady, server, signal);
	} catch (error) {
		await server.stop();
		throw error;
	}
	return server;
}

/** Starts a worker in queue mode and waits until it is ready. */
export async function startWorker(
	userFolder: string,
	concurrency: number,
	settings: NodeJS.ProcessEnv,
): Promise<N8nProcess> {
	const command = `worker --concurrency=${concurrency}`;
	const worker = await launch(command, userFolder, {
		...settings,
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
	});
	const isReady = async () => (await readFile(worker.logFile, 'utf8')).includes('is now ready');
	await untilReady(isReady, worker);
	return worker;
}

async function launch(
	command: string,
	userFolder: string,
	settings: NodeJS.ProcessEnv,
): Promise<N8nProcess> {
	await mkdir(filesFolder(userFolder), { recursive: true });
	const logFile = join(userFolder, 'n8n.log');
	const log = await open(logFile, 'a');
	const child = spawn(
		process.execPath,
		['--require', join(__dirname, 'endWithParent.cjs'), n8nProgram, ...command.split(' ')],
		{
			// Its own process group: a Ctrl+C reaches only this command, which then stops n8n in an orderly way.
			detached: true,
			stdio: ['ignore', log.fd, log.fd, 'ipc'],
			env: { ...n8nEnvironment(userFolder), ...settings },
		},
	);
	const ended = once(child, 'exit').finally(() => log.close());
	return {
		pid: child.pid ?? 0,
		logFile,
		ended,
		stop: async (longestMs = MAX_SHUTDOWN_MS) => await stop(child, ended, longestMs),
		kill: async () => {
			child.kill('SIGKILL');
			await ended;
		},
	};
}

export const n8nProgram = join(N8N_FOLDER, 'node_modules', 'n8n', 'bin', 'n8n');

async function untilReady(
	isReady: () => Promise<boolean>,
	{ logFile, ended }: N8nProcess,
	signal?: AbortSignal,
): Promise<void> {
	let hasEnded = false;
	const end = () => (hasEnded = true);
	ended.then(end, end);
	const start = Date.now();
	while (!(await isReady())) {
		if (!hasEnded && Date.now() < start + MAX_STARTUP_MS * patience()) {
			await pause(100, undefined, { signal });
			continue;
		}
		const log = await readFile(logFile, 'utf8');
		throw new Error(`n8n did not start. The end of its log:\n${log.slice(-LOG_TAIL_CHARACTERS)}`);
	}
}

async function responds(url: string): Promise<boolean> {
	return await fetch(url).then(
		({ ok, headers }) => ok && headers.get('content-type')?.includes('json') === true,
		() => false,
	);
}

async function stop(
	child: ChildProcess,
	ended: Promise<unknown>,
	longestMs: number,
): Promise<void> {
	child.kill('SIGTERM');
	const late = pause(longestMs, undefined, { ref: false });
	await Promise.race([ended, late]);
	if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
	await ended;
}
