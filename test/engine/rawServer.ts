import { createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { closerOf, hostOf, listen } from './localServer';

/** The response to one request, byte for byte. */
export interface RawResponse {
	/** Each is written to the socket separately, when the socket takes more. */
	packets: Iterable<Buffer>;
	/** Sent once this is resolved. Default: at once. */
	after?: Promise<void>;
	/** What happens to the connection afterwards. By default it stays open for another request. */
	then?: 'ends' | 'is reset';
}

/** A TCP server that sends exact bytes, also those that no HTTP server would send. */
export class RawServer {
	/** It takes any other key, too. */
	readonly key = 'key-of-this-test';
	/** The requests received, head and body. */
	readonly requests: string[] = [];
	/** Connections opened to it, with or without a request. */
	connections = 0;
	/** Those of them that are open. */
	open = 0;
	/** `earlier` counts the requests before this one on the same connection. */
	respond: (request: string, earlier: number) => RawResponse = () => ({
		packets: [],
		then: 'ends',
	});
	private readonly server = createServer({ noDelay: true }, (socket) => {
		this.connections += 1;
		this.open += 1;
		socket.once('close', () => (this.open -= 1));
		let received = '';
		let earlier = 0;
		socket.on('data', (bytes) => {
			received += bytes.toString('latin1');
			const length = requestLength(received);
			if (length === undefined || received.length < length) return;
			const request = received.slice(0, length);
			received = received.slice(length);
			this.requests.push(request);
			void send(socket, this.respond(request, earlier));
			earlier += 1;
		});
	});

	async listen(): Promise<void> {
		await listen(this.server);
	}

	get url(): string {
		return `http://${hostOf(this.server)}`;
	}

	reset(): void {
		this.requests.length = 0;
		this.connections = 0;
	}

	readonly close = closerOf(this.server);
}

function requestLength(text: string): number | undefined {
	const end = text.indexOf('\r\n\r\n');
	if (end === -1) return undefined;
	const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
	return end + 4 + Number(length);
}

async function send(socket: Socket, { packets, after, then }: RawResponse): Promise<void> {
	await after;
	for (const packet of packets) {
		if (socket.destroyed) return;
		await taken(socket, packet);
		// Lets the client read one packet before the next is sent.
		await turn();
	}
	if (then === 'is reset') {
		// A reset discards what the client has not read yet.
		await turn();
		if (!socket.destroyed) socket.resetAndDestroy();
	}
	if (then === 'ends') socket.end();
}

/** Resolves when the operating system has taken the bytes, or the client has left: a reset is no error of the server's. */
async function taken(socket: Socket, packet: Buffer): Promise<void> {
	await new Promise<void>((resolve) => socket.write(packet, () => resolve()));
}

/** The head of a response. Nothing is validated. */
export function head(statusLine: string, headers: Record<string, string> = {}): Buffer {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.from(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** A complete response with JSON. */
export function rawJson(body: unknown, statusLine = '200 OK'): RawResponse {
	return rawResponse(statusLine, JSON.stringify(body), { 'content-type': 'application/json' });
}

/** A complete response with its Content-Length, in one packet. */
export function rawResponse(
	statusLine: string,
	body: string | Buffer,
	headers: Record<string, string> = {},
): RawResponse {
	const bytes = Buffer.from(body);
	const length = String(bytes.length);
	return {
		packets: [Buffer.concat([head(statusLine, { 'content-length': length, ...headers }), bytes])],
	};
}
