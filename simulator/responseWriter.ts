import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { streamEncoder, type Encoding } from './encoding';
import type { HttpResponse } from './httpResponse';

/**
 * Writes one response to its connection, for what a framework cannot do: send a part, pause, stall,
 * disconnect. Nothing here throws once the client has disconnected: bytes are dropped and pauses end.
 */
export class ResponseWriter {
	readonly #response: ServerResponse;
	readonly #closed: Promise<void>;
	#encoder: ReturnType<typeof streamEncoder> | undefined;

	constructor(response: ServerResponse) {
		this.#response = response;
		response.socket?.setNoDelay(true);
		this.#closed = new Promise((resolve) => response.once('close', resolve));
		response.on('error', () => response.destroy());
	}

	get isClosed(): boolean {
		return this.#response.destroyed || this.#response.socket === null;
	}

	/** Sends status and headers. With an encoding, the body is compressed and flushed at every send. */
	sendHead(status: number, headers: Record<string, string>, encoding?: Encoding): void {
		if (this.isClosed) return;
		const extra = encoding ? { 'content-encoding': encoding } : {};
		this.#response.writeHead(status, { ...headers, ...extra });
		this.#response.flushHeaders();
		if (!encoding) return;
		this.#encoder = streamEncoder(encoding);
		this.#encoder.on('data', (bytes: Buffer) => this.#response.write(bytes));
	}

	/** Sends bytes in a packet of their own and waits until the operating system has taken them. */
	async send(bytes: string | Uint8Array): Promise<void> {
		if (this.isClosed || bytes.length === 0) return;
		const encoder = this.#encoder;
		const sent = new Promise<void>((resolve) => {
			if (encoder) encoder.write(bytes, () => resolve());
			else this.#response.write(bytes, () => resolve());
		});
		await Promise.race([sent, this.#closed]);
		await nextTurn();
	}

	async end(): Promise<void> {
		const encoder = this.#encoder;
		if (encoder && !this.isClosed) {
			await new Promise<void>((resolve) => encoder.once('end', resolve).end());
		}
		this.#response.end();
	}

	/** Sends a complete response with its length. */
	async sendAll({ status, headers, body }: HttpResponse): Promise<void> {
		this.sendHead(status, { ...headers, 'content-length': String(body.length) });
		await this.send(body);
		await this.end();
	}

	/** Waits, at most until the client disconnects. */
	async pause(ms: number): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
		await Promise.race([slept, this.#closed]);
		clearTimeout(timer);
	}

	/** Sends nothing more until the client or the simulator closes the connection. */
	async stall(): Promise<void> {
		if (!this.isClosed) await this.#closed;
	}

	/** Closes the connection in an orderly way, even if the announced length was not sent. */
	close(): void {
		this.#response.socket?.end();
	}

	/** Resets the TCP connection. */
	reset(): void {
		const { socket } = this.#response;
		try {
			socket?.resetAndDestroy();
		} catch {
			// A TLS socket cannot send a reset itself.
			socket?.destroy();
		}
	}
}
