import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { Gunzip } from 'node:zlib';

/** What Node.js works on and ends by itself: a file, a lookup, a connection, a write. */
const WORK = /Req|ConnectWrap|WriteWrap|ShutdownWrap/;
/**
 * After so many turns of the event loop and real milliseconds, bytes count as left by their receiver: of a TLS connection, only
 * the server's end is known. A process that did not get the processor has had no turns.
 */
const LEFT_TURNS = 50;
const LEFT_MS = 150;

/** All sockets of this process, whoever opened them, each with the ports of its connection. */
const connections = new Map<Socket, string>();

const note = (socket: Socket) => {
	connections.set(socket, [socket.localPort, socket.remotePort].sort().join());
};
// It does not have its ports yet.
const noteClient = (message: unknown) => {
	const { socket } = message as { socket: Socket };
	socket.once('connect', () => note(socket));
};
const noteServer = (message: unknown) => note((message as { socket: Socket }).socket);

subscribe('net.client.socket', noteClient);
subscribe('net.server.socket', noteServer);
afterAll(() => {
	unsubscribe('net.client.socket', noteClient);
	unsubscribe('net.server.socket', noteServer);
	connections.clear();
});

/**
 * What is under way in this process: bytes between two sockets, files, lookups, decompression, pauses in real time. It
 * knows neither whose they are nor by which library.
 */
export class Network {
	private state = '';
	private changedAt = 0;
	private turns = 0;
	private othersTimers = 0;
	/** Node.js decompresses in threads. */
	private readonly decoding = new Set<Gunzip>();
	private readonly stopWatching = watchZlib(this.decoding);

	/** Real timers of others, such as Jest's: all that are started from now on are awaited. */
	begin(): void {
		this.othersTimers = realTimers(process.getActiveResourcesInfo());
	}

	/** Whether nothing is under way in this turn. What has arrived may still be handed over in the next ones. */
	isQuiet(): boolean {
		const resources = process.getActiveResourcesInfo();
		if (resources.some((name) => WORK.test(name))) return false;
		if (realTimers(resources) > this.othersTimers) return false;
		if ([...this.decoding].some(isWorking)) return false;
		const ends = [...this.ends().values()];
		const state = ends.flat().map(progressOf).join();
		if (state !== this.state) {
			this.state = state;
			this.changedAt = performance.now();
			this.turns = 0;
			return false;
		}
		this.turns += 1;
		if (ends.every(isDelivered)) return true;
		return this.turns > LEFT_TURNS && performance.now() - this.changedAt > LEFT_MS;
	}

	restore(): void {
		this.stopWatching();
	}

	/** The ends of each connection that is open. */
	private ends(): Map<string, Socket[]> {
		const ends = new Map<string, Socket[]>();
		for (const [socket, connection] of connections)
			ends.set(connection, [...(ends.get(connection) ?? []), socket]);
		for (const [connection, both] of ends) {
			if (!both.every(({ destroyed }) => destroyed)) continue;
			ends.delete(connection);
			for (const socket of both) connections.delete(socket);
		}
		return ends;
	}
}

const realTimers = (resources: string[]) => resources.filter((name) => name === 'Timeout').length;

/** Not while it waits for its reader. */
function isWorking({ destroyed, readableLength, readableHighWaterMark }: Gunzip): boolean {
	return !destroyed && readableLength < readableHighWaterMark;
}

function progressOf({ bytesRead, bytesWritten, destroyed }: Socket): string {
	return `${bytesRead} ${bytesWritten} ${destroyed}`;
}

function isDelivered([one, other]: Socket[]): boolean {
	if (!one || !other) return false;
	if (one.destroyed !== other.destroyed) return false;
	return one.bytesRead === other.bytesWritten && other.bytesRead === one.bytesWritten;
}

interface ZlibStream {
	_transform: (this: Gunzip, part: Buffer, encoding: string, done: () => void) => void;
}

/** Adds each stream to the set while it works. @returns what ends that */
function watchZlib(working: Set<Gunzip>): () => void {
	// All streams of zlib inherit it.
	const base = Object.getPrototypeOf(
		Object.getPrototypeOf((Gunzip as unknown as { prototype: object }).prototype),
	) as ZlibStream;
	const { _transform: transform } = base;
	base._transform = function (part, encoding, done) {
		working.add(this);
		transform.call(this, part, encoding, (...results) => {
			working.delete(this);
			done(...results);
		});
	};
	return () => void (base._transform = transform);
}
