import type { Socket } from 'node:net';
import { type buildConnector, Client, Pool } from 'undici';

/** An interim response, except a change of protocols: its head, which ends at a blank line. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d[^\n]*\n(?:[^\r\n][^\n]*\n)*\r?\n/;
const INTERIM_START = 'HTTP/1.1 1';
const NOTHING: Buffer = Buffer.alloc(0);
/** undici's own limit for the head of a response. */
const MAX_HEAD_BYTES = 16 * 1024;

/** The connection whose bytes undici is parsing, which it does as soon as it reads them. */
let parsed: Connection | undefined;

/**
 * A connection under undici's parser, without interim responses: undici 7 closes the connection of a server that sends 100
 * Continue, which nobody asked for, before its response.
 */
export class Connection {
	private isInBody = false;
	/** The beginning of an interim response. */
	private head = NOTHING;

	constructor(socket: Socket) {
		const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
		// Node.js itself reads 0 bytes to find the end.
		socket.read = (size?: number) => (size === undefined ? this.take(read) : read(size));
	}

	beginBody(): void {
		this.isInBody = true;
	}

	endBody(): void {
		this.isInBody = false;
	}

	private take(read: () => Buffer | null): Buffer | null {
		const bytes = read();
		return bytes === null || this.isInBody ? bytes : this.withoutInterim(bytes);
	}

	private withoutInterim(bytes: Buffer): Buffer | null {
		let rest = this.head.length === 0 ? bytes : Buffer.concat([this.head, bytes]);
		this.head = NOTHING;
		while (mayBeInterim(rest)) {
			const [head] = INTERIM.exec(rest.toString('latin1', 0, MAX_HEAD_BYTES)) ?? [];
			if (head === undefined && rest.length >= MAX_HEAD_BYTES) break;
			if (head === undefined) {
				this.head = rest;
				return null;
			}
			rest = rest.subarray(head.length);
		}
		return rest;
	}

	/** The connection of the bytes that undici is parsing; undefined for one through a SOCKS proxy. */
	static get current(): Connection | undefined {
		return parsed;
	}
}

function mayBeInterim(bytes: Buffer): boolean {
	const start = bytes.toString('latin1', 0, 12);
	return INTERIM_START.startsWith(start.slice(0, INTERIM_START.length)) && !start.endsWith(' 101');
}

/** An agent's pool for one origin, of {@link Connection}s. */
export function openPool(origin: string | URL, options: object): Pool {
	return new Pool(origin, { ...options, factory: openClient });
}

function openClient(origin: URL, options: object): Client {
	const { connect } = options as { connect: buildConnector.connector };
	return new Client(origin, {
		...options,
		connect: (target, done) =>
			connect(target, (...[error, socket]) => {
				if (error) return done(error, null);
				const connection = new Connection(socket);
				socket.on('readable', () => (parsed = connection));
				done(null, socket);
				socket.on('readable', () => (parsed = undefined));
			}),
	});
}
