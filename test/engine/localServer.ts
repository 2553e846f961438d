import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { generate } from 'selfsigned';

/** Makes a server listen on a free port of 127.0.0.1. @returns its host and port */
export async function listen(server: Server): Promise<string> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return hostOf(server);
}

export const hostOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** What closes a server with all its connections. */
export function closerOf(server: Server): () => Promise<void> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => {
		sockets.add(socket.on('error', () => {}));
		socket.once('close', () => sockets.delete(socket));
	});
	return async () => {
		for (const socket of sockets) socket.destroy();
		server.close();
		await once(server, 'close');
	};
}

/** Passes bytes between two connections, until one of them is closed. */
export function joinConnections(one: Socket, other: Socket): void {
	one.pipe(other).pipe(one);
	// A reset is no error of the server's. What has been received before is still passed on.
	for (const [socket, peer] of [
		[one, other],
		[other, one],
	] as const)
		socket.on('error', () => {}).once('close', () => peer.destroySoon());
}

/** A certificate that nobody trusts. */
export async function untrustedCertificate(): Promise<{ key: string; cert: string }> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
	return { key, cert };
}
