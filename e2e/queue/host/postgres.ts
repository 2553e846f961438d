import { chmod, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../host/freePort';
import { runCommand } from '../../host/runCommand';
import { findProgram } from './findProgram';
import { type Server, startServer } from './server';

const PLACES = ['/usr/lib/postgresql/*/bin'];
export const DATABASE = 'postgres';
export const USER = 'n8n';

/** A separate Postgres that trusts every local user. It refuses to run as root, so root runs it as the user postgres. */
export async function startPostgres(folder: string): Promise<Server> {
	const initdb = findProgram('initdb', 'postgresql', PLACES);
	const postgres = findProgram('postgres', 'postgresql', PLACES);
	const data = join(folder, 'postgres');
	await mkdir(data);
	const owner = process.getuid?.() === 0 ? await userOfPostgres() : undefined;
	if (owner !== undefined) {
		await chmod(folder, 0o711);
		await chown(data, owner.uid, owner.gid);
	}
	const as = (program: string, args: string[]): [string, string[]] => {
		if (owner === undefined) return [program, args];
		const { uid, gid } = owner;
		return ['setpriv', [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program, ...args]];
	};
	const init = ['-D', data, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-sync'];
	await runCommand(...as(initdb, init), { cwd: data });
	const port = await freePort();
	const settings = [
		'listen_addresses=127.0.0.1',
		'unix_socket_directories=',
		'max_connections=200',
	];
	const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
	return await startServer(...as(postgres, args), port, { cwd: data });
}

async function userOfPostgres(): Promise<{ uid: number; gid: number }> {
	const users = await readFile('/etc/passwd', 'utf8');
	const [, , uid, gid] =
		users
			.split('\n')
			.find((line) => line.startsWith('postgres:'))
			?.split(':') ?? [];
	if (uid === undefined || gid === undefined)
		throw new Error('There is no user postgres: apt-get install postgresql');
	return { uid: Number(uid), gid: Number(gid) };
}
