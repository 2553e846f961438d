import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { streamEncoder, type Encoding } from './encoding';
import type { Answer } from './answer';

/**
 * The connection of one response, for what a framework cannot do: send a part, pause, stop sending,
 * disconnect. Nothing here throws when the client is gone: then sends are dropped and waits end.
 */
export class RawResponse {
	readonly #response: ServerResponse;
	readonly #closed: Promise<void>;
	#encoder: ReturnType<typeof streamEncoder> | undefined;

	constructor(response: ServerResponse) {
		this.#response = response;
		response.socket?.setNoDelay(true);
		this.#closed = new Promise((resolve) => response.once('close', resolve));
		response.on('error', () => response.destroy());
	}

	get gone(): boolean {
		return this.#response.destroyed || this.#response.socket === null;
	}

	/** Sends the head. With an encoding, what follows is compressed and flushed at every send. */
	start(status: number, headers: Record<string, string>, encoding?: Encoding): void {
		if (this.gone) return;
		const extra = encoding ? { 'content-encoding': encoding } : {};
		this.#response.writeHead(status, { ...headers, ...extra });
		this.#response.flushHeaders();
		if (!encoding) return;
		this.#encoder = streamEncoder(encoding);
		this.#encoder.on('data', (bytes: Buffer) => this.#response.write(bytes));
	}

	/** Sends bytes as a packet of their own and waits until the system has taken them. */
	async send(bytes: string | Uint8Array): Promise<void> {
		if (this.gone || bytes.length === 0) return;
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
		if (encoder && !this.gone) {
			await new Promise<void>((resolve) => encoder.once('end', resolve).end());
		}
		this.#response.end();
	}

	/** Sends a whole answer with its length. */
	async whole({ status, headers, body }: Answer): Promise<void> {
		this.start(status, { ...headers, 'content-length': String(body.length) });
		await this.send(body);
		await this.end();
	}

	/** Waits, but no longer than the client does. */
	async pause(ms: number): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
		await Promise.race([slept, this.#closed]);
		clearTimeout(timer);
	}

	/** Sends nothing more until the client, or the end of the simulator, closes the connection. */
	async silence(): Promise<void> {
		if (!this.gone) await this.#closed;
	}

	/** Closes the connection in an orderly way, whatever was promised. */
	hangUp(): void {
		this.#response.socket?.end();
	}

	/** Breaks the connection with a TCP reset. */
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
