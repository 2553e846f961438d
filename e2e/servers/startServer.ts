import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../test/engine/localServer';

/** The port and the folder of a server. */
export interface ServerResources {
	/** A free port on 127.0.0.1. */
	port: number;
	/** An empty folder, deleted when the server stops. */
	folder: string;
}

/** A server from a Debian package. `Settings` are further parameters of its configuration. */
export interface ServerProgram<Settings = void> {
	/** The package. */
	name: string;
	binary: string;
	/** Returns the content of the configuration file. */
	config: (resources: ServerResources, settings: Settings) => string;
	/** The arguments to run it in the foreground. */
	args: (configFile: string, resources: ServerResources) => string[];
}

export interface RunningServer {
	port: number;
	url: string;
	close(): Promise<void>;
}

/** Debian installs servers in folders that only root has in its PATH. */
const SERVER_ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const START_LIMIT_MS = 10_000;
const POLL_MS = 10;

/**
 * `describe` for tests that need a server. If it is not installed, the tests are reported as skipped, with the name of
 * the package.
 */
export function describeWith(
	{ name, binary }: { name: string; binary: string },
	tests: () => void,
): void {
	const isInstalled = spawnSync('which', [binary], { env: SERVER_ENV }).status === 0;
	if (isInstalled) describe(name, tests);
	else describe.skip(`${name} is not installed (apt-get install ${name})`, tests);
}

/** Starts a server in the foreground and resolves when it accepts connections. */
export async function startServer<Settings>(
	program: ServerProgram<Settings>,
	settings: Settings,
): Promise<RunningServer> {
	const resources = {
		port: await freePort(),
		folder: mkdtempSync(join(tmpdir(), `${program.name}-`)),
	};
	const configFile = join(resources.folder, 'server.conf');
	writeFileSync(configFile, program.config(resources, settings));
	const child = spawn(program.binary, program.args(configFile, resources), {
		env: SERVER_ENV,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output: Buffer[] = [];
	child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
	child.stderr.on('data', (bytes: Buffer) => output.push(bytes));
	const close = async () => {
		await stop(child);
		rmSync(resources.folder, { recursive: true, force: true });
	};
	try {
		await waitUntilListening(child, resources.port);
	} catch (error) {
		await close();
		throw new Error(`${program.name} did not start: ${Buffer.concat(output).toString()}`, {
			cause: error,
		});
	}
	return { port: resources.port, url: `http://127.0.0.1:${resources.port}`, close };
}

async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
	for (const end = Date.now() + START_LIMIT_MS; Date.now() < end; await sleep(POLL_MS)) {
		if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}`);
		if (await accepts(port)) return;
	}
	throw new Error(`it did not listen within ${START_LIMIT_MS} ms`);
}

async function accepts(port: number): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	return await new Promise<boolean>((resolve) => {
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
	}).finally(() => socket.destroy());
}

async function stop(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, 'exit');
	child.kill('SIGTERM');
	const timer = setTimeout(() => child.kill('SIGKILL'), 2_000);
	await exited;
	clearTimeout(timer);
}

async function freePort(): Promise<number> {
	const server = createServer();
	const { port } = new URL(`http://${await listen(server)}`);
	server.close();
	await once(server, 'close');
	return Number(port);
}
