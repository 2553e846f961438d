import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { generate } from 'selfsigned';

/** Makes a server listen on a free port of 127.0.0.1. @returns its host and port */
export async function listen(server: Server): Promise<string> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return hostOf(server);
}

export const hostOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A certificate that nobody trusts. */
export async function untrustedCertificate(): Promise<{ key: string; cert: string }> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
	return { key, cert };
}
