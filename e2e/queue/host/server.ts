import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '../../host/until';

export interface Server {
	readonly port: number;
	/** Kills it, and starts it again on its data. */
	crash(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts a server and waits until its port is open. It does not outlive this process. */
export async function startServer(
	program: string,
	args: string[],
	port: number,
	options: SpawnOptions,
): Promise<Server> {
	const start = async () => {
		const child = spawn(program, args, { ...options, stdio: 'ignore' });
		const end = () => child.kill('SIGKILL');
		process.once('exit', end);
		const ended = once(child, 'exit').finally(() => process.off('exit', end));
		await until(async () => {
			if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}`);
			return await isOpen(port);
		});
		return async (signal: 'SIGINT' | 'SIGKILL') => {
			child.kill(signal);
			await ended;
		};
	};
	let end = await start();
	return {
		port,
		async crash() {
			await end('SIGKILL');
			end = await start();
		},
		async stop() {
			await end('SIGINT');
		},
	};
}

async function isOpen(port: number): Promise<boolean> {
	const socket = connect({ port, host: '127.0.0.1' });
	const opened = await Promise.race([
		once(socket, 'connect').then(
			() => true,
			() => false,
		),
	]);
	socket.destroy();
	return opened;
}
