import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The wanted port, or any free port if that one is in use. */
export async function freePort(wanted = 0): Promise<number> {
	const server = createServer();
	try {
		server.listen(wanted, '127.0.0.1');
		await once(server, 'listening');
		return (server.address() as AddressInfo).port;
	} catch (error) {
		if (wanted === 0) throw error;
		return await freePort();
	} finally {
		server.close();
	}
}
