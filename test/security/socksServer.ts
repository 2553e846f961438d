import { connect, createServer, type Socket } from 'node:net';
import { closerOf, hostOf, listen } from '../engine/localServer';

const VERSION = 5;
const NO_AUTHENTICATION = Buffer.of(VERSION, 0);
const IS_NAME = 3;
const CONNECTED = Buffer.of(VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0);

/** A SOCKS5 proxy (RFC 1928) without authentication. It connects every host name to 127.0.0.1. */
export class SocksServer {
	/** The requested hosts and ports. */
	readonly targets: string[] = [];
	private readonly server = createServer((client) => {
		client.once('data', () => {
			client.write(NO_AUTHENTICATION);
			client.once('data', (request) => this.open(request, client));
		});
	});

	async listen(): Promise<void> {
		await listen(this.server);
	}

	get host(): string {
		return hostOf(this.server);
	}

	readonly close = closerOf(this.server);

	private open(request: Buffer, client: Socket): void {
		const address = request.subarray(4, -2);
		const host = request[3] === IS_NAME ? address.toString('utf8', 1) : [...address].join('.');
		const port = request.readUInt16BE(request.length - 2);
		this.targets.push(`${host}:${port}`);
		const server = connect(port, '127.0.0.1', () => {
			client.write(CONNECTED);
			server.pipe(client).pipe(server);
		});
		server.on('error', () => client.destroy());
		client.on('close', () => server.destroy());
	}
}
