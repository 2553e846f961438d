import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where a server that a test starts may listen and write. */
export interface Place {
	/** A free port on 127.0.0.1. */
	port: number;
	/** An empty folder, removed when the server stops. */
	folder: string;
}

/** A server from Debian's packages. `Settings` is what its configuration depends on besides its place. */
export interface ServerProgram<Settings = void> {
	/** The package. */
	name: string;
	binary: string;
	/** The text of its configuration file. */
	config: (place: Place, settings: Settings) => string;
	/** Its arguments: it must stay in the foreground. */
	args: (configFile: string, place: Place) => string[];
}

export interface RunningServer {
	port: number;
	url: string;
	close(): Promise<void>;
}

/** Debian installs servers where only the administrator's PATH leads. */
const SERVER_ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const START_LIMIT_MS = 10_000;
const POLL_MS = 10;

/**
 * `describe` for tests that need a server which not every machine has: without it they are reported as skipped, with
 * the name of the package.
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
	const place = { port: await freePort(), folder: mkdtempSync(join(tmpdir(), `${program.name}-`)) };
	const configFile = join(place.folder, 'server.conf');
	writeFileSync(configFile, program.config(place, settings));
	const child = spawn(program.binary, program.args(configFile, place), {
		env: SERVER_ENV,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output: Buffer[] = [];
	child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
	child.stderr.on('data', (bytes: Buffer) => output.push(bytes));
	const close = async () => {
		await stop(child);
		rmSync(place.folder, { recursive: true, force: true });
	};
	try {
		await untilItListens(child, place.port);
	} catch (error) {
		await close();
		throw new Error(`${program.name} did not start: ${Buffer.concat(output).toString()}`, {
			cause: error,
		});
	}
	return { port: place.port, url: `http://127.0.0.1:${place.port}`, close };
}

async function untilItListens(child: ChildProcess, port: number): Promise<void> {
	for (const end = Date.now() + START_LIMIT_MS; Date.now() < end; await sleep(POLL_MS)) {
		if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
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
	const ended = once(child, 'exit');
	child.kill('SIGTERM');
	const timer = setTimeout(() => child.kill('SIGKILL'), 2_000);
	await ended;
	clearTimeout(timer);
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
