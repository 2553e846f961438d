import dns from 'node:dns';
import { once } from 'node:events';
import {
	connect,
	createServer,
	type AddressInfo,
	type LookupFunction,
	type Socket,
} from 'node:net';
import { joinConnections } from '../engine/localServer';

/** How connecting to the service fails. */
export type ConnectFailure = 'refused' | 'ENOTFOUND' | 'EAI_AGAIN' | 'not TLS';

/** By host names, of which each has its own, because a port may be reused. */
const relays = new Map<string, TcpRelay>();
const lookup = dns.lookup;
// Once for all: a connection pool keeps its lookup function.
dns.lookup = ((...[name, options, done]: Parameters<LookupFunction>) => {
	const relay = relays.get(name);
	if (relay === undefined) lookup(name, options, done);
	else relay.resolve(name, options, done);
}) as typeof dns.lookup;

const NO_TLS = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

/** A TCP relay to the service on which connecting can fail. Its host name is resolved without a DNS server. */
export class TcpRelay {
	/** The time of each attempt to connect. */
	readonly attempts: number[] = [];
	private readonly host = `service-${relays.size}.test`;
	private failure: ConnectFailure | undefined;
	private port = 0;
	private readonly sockets = new Set<Socket>();
	private readonly server = createServer((socket) => this.forward(socket));

	constructor(
		private readonly target: URL,
		private readonly now: () => number,
	) {}

	async open(): Promise<void> {
		relays.set(this.host, this);
		this.server.listen(this.port, '127.0.0.1');
		await once(this.server, 'listening');
		this.port = (this.server.address() as AddressInfo).port;
	}

	/** The base URL of the service through this relay. */
	get url(): string {
		return `${this.target.protocol}//${this.host}:${this.port}`;
	}

	/** @param keepsConnections whether open connections stay open */
	async fail(failure: ConnectFailure | undefined, keepsConnections: boolean): Promise<void> {
		this.failure = failure;
		this.attempts.length = 0;
		if (failure === 'refused') this.server.close();
		if (!keepsConnections) await this.disconnect();
	}

	async repair(): Promise<void> {
		const { failure } = this;
		this.failure = undefined;
		if (failure === 'refused') await this.open();
	}

	async close(): Promise<void> {
		this.server.close();
		await this.disconnect();
	}

	private async disconnect(): Promise<void> {
		const closed = [...this.sockets].map(async (socket) => await once(socket, 'close'));
		for (const socket of this.sockets) socket.destroy();
		await Promise.all(closed);
	}

	readonly resolve: LookupFunction = (name, options, done) => {
		this.attempts.push(this.now());
		const { failure } = this;
		if (failure === 'ENOTFOUND' || failure === 'EAI_AGAIN') {
			const error = new Error(`getaddrinfo ${failure} ${name}`);
			setImmediate(() => done(Object.assign(error, { code: failure }), ''));
			return;
		}
		const address = '127.0.0.1';
		setImmediate(() =>
			options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4),
		);
	};

	private forward(socket: Socket): void {
		this.sockets.add(socket);
		socket.once('close', () => this.sockets.delete(socket)).on('error', () => {});
		if (this.failure === 'not TLS') {
			socket.once('data', () => socket.end(NO_TLS));
			return;
		}
		joinConnections(socket, connect(Number(this.target.port), this.target.hostname));
	}
}
