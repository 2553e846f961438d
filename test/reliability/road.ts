import dns from 'node:dns';
import { once } from 'node:events';
import {
	connect,
	createServer,
	type AddressInfo,
	type LookupFunction,
	type Socket,
} from 'node:net';

/** What can be wrong before the service receives anything. */
export type Blockade = 'refused' | 'ENOTFOUND' | 'EAI_AGAIN' | 'not TLS';

/** A port may come again, and a pool keeps the lookup with which it was opened: each road has a host of its own. */
let roads = 0;
const NO_TLS = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

/** A way to a service by a name and a port that can be blocked: no name is asked of a real DNS server. */
export class Road {
	/** When each connection was asked for. */
	readonly attempts: number[] = [];
	private readonly host = `service-${++roads}.test`;
	private blockade: Blockade | undefined;
	private port = 0;
	private readonly sockets = new Set<Socket>();
	private readonly server = createServer((socket) => this.pass(socket));
	private readonly lookup = dns.lookup;

	constructor(
		private readonly target: URL,
		private readonly now: () => number,
	) {}

	async open(): Promise<void> {
		dns.lookup = this.find as typeof dns.lookup;
		this.server.listen(this.port, '127.0.0.1');
		await once(this.server, 'listening');
		this.port = (this.server.address() as AddressInfo).port;
	}

	/** The service's base address by this road. */
	get url(): string {
		return `${this.target.protocol}//${this.host}:${this.port}`;
	}

	/** @param keepsConnections whether what is connected already stays so */
	async block(blockade: Blockade | undefined, keepsConnections: boolean): Promise<void> {
		this.blockade = blockade;
		this.attempts.length = 0;
		if (blockade === 'refused') this.server.close();
		if (!keepsConnections) await this.disconnect();
	}

	async clear(): Promise<void> {
		const { blockade } = this;
		this.blockade = undefined;
		if (blockade === 'refused') await this.open();
	}

	async close(): Promise<void> {
		dns.lookup = this.lookup;
		this.server.close();
		await this.disconnect();
	}

	private async disconnect(): Promise<void> {
		const closed = [...this.sockets].map(async (socket) => await once(socket, 'close'));
		for (const socket of this.sockets) socket.destroy();
		await Promise.all(closed);
	}

	private readonly find: LookupFunction = (name, options, done) => {
		if (name !== this.host) return this.lookup(name, options, done);
		this.attempts.push(this.now());
		const { blockade } = this;
		if (blockade === 'ENOTFOUND' || blockade === 'EAI_AGAIN') {
			const failure = new Error(`getaddrinfo ${blockade} ${name}`);
			setImmediate(() => done(Object.assign(failure, { code: blockade }), ''));
			return;
		}
		const address = '127.0.0.1';
		setImmediate(() =>
			options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4),
		);
	};

	private pass(socket: Socket): void {
		this.sockets.add(socket);
		socket.once('close', () => this.sockets.delete(socket)).on('error', () => {});
		if (this.blockade === 'not TLS') {
			socket.once('data', () => socket.end(NO_TLS));
			return;
		}
		const further = connect(Number(this.target.port), this.target.hostname);
		further.once('close', () => socket.destroy()).on('error', () => {});
		socket.once('close', () => further.destroy());
		socket.pipe(further).pipe(socket);
	}
}
