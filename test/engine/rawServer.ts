import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** What a service answers to one request, byte for byte. */
export interface RawAnswer {
	/** Milliseconds until the first packet; default 0. */
	after?: number;
	/** Each is sent as a packet of its own. */
	packets: Buffer[];
	/** What becomes of the connection then; it stays open for another request otherwise. */
	then?: 'ends' | 'is reset';
}

/** A service that answers whatever a test wants, also what no HTTP server would. */
export class RawServer {
	/** The requests it received, with head and body. */
	readonly requests: string[] = [];
	/** Connections that were opened to it, with or without a request. */
	connections = 0;
	/** `earlier`: how many requests came before it over the same connection. */
	answer: (request: string, earlier: number) => RawAnswer = () => ({ packets: [], then: 'ends' });
	private readonly sockets = new Set<Socket>();
	private readonly server = createServer({ noDelay: true }, (socket) => {
		this.sockets.add(socket);
		this.connections += 1;
		socket.once('close', () => this.sockets.delete(socket)).on('error', () => {});
		let received = '';
		let earlier = 0;
		socket.on('data', (bytes) => {
			received += bytes.toString('latin1');
			const length = requestLength(received);
			if (length === undefined || received.length < length) return;
			const request = received.slice(0, length);
			received = received.slice(length);
			this.requests.push(request);
			void send(socket, this.answer(request, earlier));
			earlier += 1;
		});
	});

	async listen(): Promise<void> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	reset(): void {
		this.requests.length = 0;
		this.connections = 0;
	}

	async close(): Promise<void> {
		for (const socket of this.sockets) socket.destroy();
		this.server.close();
		await once(this.server, 'close');
	}
}

function requestLength(text: string): number | undefined {
	const end = text.indexOf('\r\n\r\n');
	if (end === -1) return undefined;
	const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
	return end + 4 + Number(length);
}

async function send(socket: Socket, { after, packets, then }: RawAnswer): Promise<void> {
	if (after !== undefined) await sleep(after);
	for (const [index, packet] of packets.entries()) {
		// The client takes one packet before the next is sent.
		if (index > 0) await turn();
		if (socket.destroyed) return;
		socket.write(packet);
	}
	if (then === 'is reset') {
		// A reset overtakes what is still on its way.
		await turn();
		if (!socket.destroyed) socket.resetAndDestroy();
	}
	if (then === 'ends') socket.end();
}

/** A head with these lines, which nobody checks. */
export function head(statusLine: string, headers: Record<string, string> = {}): Buffer {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.from(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** A whole answer with its length, in one packet. */
export function whole(
	statusLine: string,
	body: string | Buffer,
	headers: Record<string, string> = {},
): RawAnswer {
	const bytes = Buffer.from(body);
	const length = String(bytes.length);
	return {
		packets: [Buffer.concat([head(statusLine, { 'content-length': length, ...headers }), bytes])],
	};
}
