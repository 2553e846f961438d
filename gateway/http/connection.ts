import type { Socket } from 'node:net';
import { type buildConnector, Client, Pool } from 'undici';

/** The head of an interim response, which ends with a blank line. Status 101, a change of protocols, is a final one. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d[^\n]*\n(?:[^\r\n][^\n]*\n)*\r?\n/;
/** undici would take this for a fault of its own. */
const NO_STATUS = /^HTTP\/1\.[01] 0\d\d/;
const INTERIM_START = 'HTTP/1.1 1';
const NOTHING: Buffer = Buffer.alloc(0);
/** undici's own limit for the head of a response. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Hides interim responses from undici: undici closes the connection of a server that sends 100 Continue without being
 * asked, as IIS does for each POST.
 */
function hideInterim(socket: Socket): void {
	const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
	const write = socket.write.bind(socket) as (...chunk: unknown[]) => boolean;
	let awaitsHead = false;
	/** The part of an interim response that has arrived. */
	let begun = NOTHING;
	const withoutInterim = (bytes: Buffer): Buffer | null => {
		let rest = begun.length === 0 ? bytes : Buffer.concat([begun, bytes]);
		begun = NOTHING;
		while (mayBeInterim(rest)) {
			const [head] = INTERIM.exec(rest.toString('latin1', 0, MAX_HEAD_BYTES)) ?? [];
			if (head === undefined && rest.length >= MAX_HEAD_BYTES) break;
			if (head === undefined) {
				begun = rest;
				return null;
			}
			rest = rest.subarray(head.length);
		}
		awaitsHead = false;
		const start = rest.toString('latin1', 0, 12);
		if (!NO_STATUS.test(start)) return rest;
		socket.destroy(new Error(`Response does not match the HTTP/1.1 protocol: ${start}`));
		return null;
	};
	Object.assign(socket, {
		write(...chunk: unknown[]) {
			awaitsHead = true;
			return write(...chunk);
		},
		read(size?: number) {
			const bytes = read(size);
			return bytes !== null && awaitsHead ? withoutInterim(bytes) : bytes;
		},
	});
}

function mayBeInterim(bytes: Buffer): boolean {
	const start = bytes.toString('latin1', 0, 12);
	return INTERIM_START.startsWith(start.slice(0, INTERIM_START.length)) && !start.endsWith(' 101');
}

/** The pool of an agent for one origin, whose connections hide interim responses. */
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
				hideInterim(socket);
				done(null, socket);
			}),
	});
}
