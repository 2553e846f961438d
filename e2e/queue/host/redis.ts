import { freePort } from '../../host/freePort';
import { findProgram } from './findProgram';
import { type Server, startServer } from './server';

/** A separate Redis that keeps its data in memory only. */
export async function startRedis(folder: string): Promise<Server> {
	const program = findProgram('redis-server', 'redis-server');
	const port = await freePort();
	const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
	return await startServer(program, args, port, { cwd: folder });
}
