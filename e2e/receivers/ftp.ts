import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FtpSrv } from 'ftp-srv';
import { freePort } from '../host/freePort';
import type { Receiver } from './receiver';

const ignore = () => {};
const silent = {
	trace: ignore,
	debug: ignore,
	info: ignore,
	warn: ignore,
	error: ignore,
	child: (): object => silent,
};

/** An FTP server for one user. */
export async function startFtp(root: string): Promise<Receiver> {
	const port = await freePort();
	const server = new FtpSrv({
		url: `ftp://127.0.0.1:${port}`,
		pasv_url: '127.0.0.1',
		anonymous: false,
		log: silent,
	});
	server.on('login', (_login, resolve) => resolve({ root }));
	await server.listen();
	return {
		credential: {
			type: 'ftp',
			data: { host: '127.0.0.1', port, username: 'n8n', password: 'a-password' },
		},
		read: async (file) => await readFile(join(root, file)),
		close: async () => await server.close(),
	};
}
