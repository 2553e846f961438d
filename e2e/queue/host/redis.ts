import { freePort } from '../../host/freePort';
import { findProgram } from './findProgram';
import { type Server, startServer } from './server';

/**
 * A separate Redis.
 * @param keepsData whether its data outlives it; otherwise it is in memory only
 */
export async function startRedis(folder: string, keepsData = false): Promise<Server> {
	const program = findProgram('redis-server', 'redis-server');
	const port = await freePort();
	const args = [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--save',
		'',
		'--appendonly',
		keepsData ? 'yes' : 'no',
	];
	return await startServer(program, args, port, { cwd: folder });
}
