import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** What a proxy does with a request for a way to another host. */
export type Behaviour = 'opens' | 'hangs up' | 'resets' | 'is none' | `answers ${number}`;

/** A proxy between n8n and the service. */
export class ProxyServer {
	behaviour: Behaviour = 'opens';
	/** The CONNECT requests that it received. */
	readonly tunnels: Array<{ target: string; headers: IncomingHttpHeaders }> = [];
	/** The other requests that it received. */
	readonly forwarded: IncomingHttpHeaders[] = [];
	private readonly server: Server = createServer((request, response) => {
		this.forwarded.push(request.headers);
		response.writeHead(Number(this.behaviour.replace('answers ', '')) || 500).end();
	});

	constructor() {
		this.server.on('connect', (request, client: Socket, head: Buffer) => {
			const target = request.url ?? '';
			this.tunnels.push({ target, headers: request.headers });
			client.on('error', () => {});
			if (this.behaviour === 'opens') open(target, client, head);
			else this.refuse(client, String(request.headers['proxy-authorization']));
		});
	}

	async listen(): Promise<void> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
	}

	/** Its host and port. */
	get host(): string {
		return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	reset(): void {
		this.behaviour = 'opens';
		this.tunnels.length = 0;
		this.forwarded.length = 0;
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		this.server.close();
		await once(this.server, 'close');
	}

	private refuse(client: Socket, authorization: string): void {
		if (this.behaviour === 'hangs up') client.end();
		else if (this.behaviour === 'resets') client.resetAndDestroy();
		else if (this.behaviour === 'is none') client.end('220 mail.example ESMTP\r\n');
		else {
			const status = this.behaviour.replace('answers ', '');
			client.end(
				`HTTP/1.1 ${status} Not with ${authorization}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
			);
		}
	}
}

/** Every name leads to this machine. */
function open(target: string, client: Socket, head: Buffer): void {
	const server = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
		client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
		server.write(head);
		server.pipe(client).pipe(server);
	});
	server.on('error', () => client.destroy());
	client.on('error', () => server.destroy());
}
