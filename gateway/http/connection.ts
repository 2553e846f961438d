import type { Socket } from 'node:net';
import { type buildConnector, Pool } from 'undici';

/** As much of a head as tells its status. */
const STATUS_CHARACTERS = 'HTTP/1.1 200'.length;
const CONTINUE = 'HTTP/1.1 100';
/** A final response follows, except after status 101, a change of protocols. */
const INTERIM = /^HTTP\/1\.1 1(?!01)/;
/** undici would take this for a fault of its own. */
const NO_STATUS = /^HTTP\/1\.[01] 0/;
const DIGIT_2 = 0x32;

/**
 * Shows undici each 100 Continue as 102 Processing, which it ignores: it closes the connection of a server that sends 100
 * without being asked, as IIS does for each POST.
 */
function hideContinue(socket: Socket): void {
	const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
	const write = socket.write.bind(socket) as (...chunk: unknown[]) => boolean;
	let awaitsHead = false;
	/** What has arrived of a line of a head. */
	let line = '';
	let isStatusLine = true;
	const readHeads = (bytes: Buffer): void => {
		for (let at = 0; awaitsHead && at < bytes.length; at += 1) {
			const character = String.fromCharCode(bytes[at]!);
			line += character;
			if (character === '\n') {
				// A blank line ends a head.
				isStatusLine = line.trim() === '';
				line = '';
			}
			if (!isStatusLine || line.length < STATUS_CHARACTERS) continue;
			if (line === CONTINUE) bytes[at] = DIGIT_2;
			if (NO_STATUS.test(line))
				socket.destroy(new Error(`Response does not match the HTTP/1.1 protocol: ${line}`));
			awaitsHead = INTERIM.test(line);
			isStatusLine = !awaitsHead;
		}
	};
	Object.assign(socket, {
		write(...chunk: unknown[]) {
			if (!awaitsHead) line = '';
			awaitsHead = true;
			return write(...chunk);
		},
		read(size?: number) {
			const bytes = read(size);
			if (bytes !== null) readHeads(bytes);
			return socket.destroyed ? null : bytes;
		},
	});
}

/**
 * The pool of an agent for one origin, whose connections hide 100 Continue.
 * @param options with a function that connects
 */
export function openPool(origin: string | URL, options: object): Pool {
	const { connect } = options as { connect: buildConnector.connector };
	return new Pool(origin, {
		...options,
		connect: (target, done) =>
			connect(target, (...[error, socket]) => {
				if (error) return done(error, null);
				hideContinue(socket);
				done(null, socket);
			}),
	});
}
