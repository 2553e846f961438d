import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	request as send,
	type Server,
	type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { closerOf, hostOf, joinConnections, listen } from '../engine/localServer';

/** What the proxy does with a request for another host. */
export type Behaviour =
	| 'connects'
	| 'hangs up'
	| 'resets'
	| 'does not speak HTTP'
	| 'does not respond'
	| `responds with ${number}`;

/** A request that the proxy received. The target is a host and port, or a URL. */
export interface ProxyRequest {
	target: string;
	headers: IncomingHttpHeaders;
}

/** An HTTP proxy. It connects every host name to 127.0.0.1. */
export class ProxyServer {
	behaviour: Behaviour = 'connects';
	/** Connections opened to it. */
	connections = 0;
	/** CONNECT requests. */
	readonly tunnels: ProxyRequest[] = [];
	/** Requests in absolute form. */
	readonly forwarded: ProxyRequest[] = [];
	private readonly server: Server = createServer((request, response) => {
		this.forwarded.push({ target: request.url ?? '', headers: request.headers });
		if (this.behaviour === 'connects') forward(request, response);
		else this.refuse(request.socket, String(request.headers['proxy-authorization']));
	});

	readonly close = closerOf(this.server);

	constructor() {
		this.server.on('connection', () => (this.connections += 1));
		this.server.on('connect', (request, client: Socket, head: Buffer) => {
			const target = request.url ?? '';
			this.tunnels.push({ target, headers: request.headers });
			if (this.behaviour === 'connects') open(target, client, head);
			else this.refuse(client, String(request.headers['proxy-authorization']));
		});
	}

	/** The targets of all requests, such as `CONNECT service.test:443`. */
	get targets(): string[] {
		return [
			...this.tunnels.map(({ target }) => `CONNECT ${target}`),
			...this.forwarded.map(({ target }) => target),
		];
	}

	async listen(): Promise<void> {
		await listen(this.server);
	}

	/** The host and port of the proxy. */
	get host(): string {
		return hostOf(this.server);
	}

	reset(): void {
		this.behaviour = 'connects';
		this.connections = 0;
		this.tunnels.length = 0;
		this.forwarded.length = 0;
	}

	private refuse(client: Socket, authorization: string): void {
		if (this.behaviour === 'does not respond') return;
		if (this.behaviour === 'hangs up') client.end();
		else if (this.behaviour === 'resets') client.resetAndDestroy();
		else if (this.behaviour === 'does not speak HTTP') client.end('220 mail.example ESMTP\r\n');
		else {
			const status = this.behaviour.replace('responds with ', '');
			client.end(
				`HTTP/1.1 ${status} Not with ${authorization}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
			);
		}
	}
}

function open(target: string, client: Socket, head: Buffer): void {
	const server = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
		client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
	});
	server.write(head);
	joinConnections(client, server);
}

function forward(request: IncomingMessage, response: ServerResponse): void {
	const { port, pathname, search } = new URL(request.url ?? '');
	const { 'proxy-authorization': _login, ...headers } = request.headers;
	const { method } = request;
	const path = pathname + search;
	const outgoing = send({ host: '127.0.0.1', port, method, path, headers, agent: false });
	outgoing.on('response', (incoming) => {
		response.writeHead(incoming.statusCode ?? 500, incoming.headers);
		pipeline(incoming, response, () => {});
	});
	outgoing.on('error', () => response.destroy());
	pipeline(request, outgoing, () => {});
}
