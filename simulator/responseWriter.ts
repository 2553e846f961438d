import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Delivery, Step } from './delivery';
import { streamEncoder } from './encoding';
import type { Settings } from './options';

type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;
type Actions = { [Kind in Step['kind']]: (step: StepOf<Kind>) => void | Promise<void> };

/**
 * Writes one response to its connection. Nothing here throws once the client has disconnected: bytes are dropped and
 * pauses end.
 */
export class ResponseWriter {
	readonly #response: ServerResponse;
	readonly #clock: Pick<Settings, 'now' | 'after'>;
	readonly #closed: Promise<void>;
	readonly #actions: Actions = {
		head: (step) => this.#head(step),
		bytes: ({ bytes }) => this.#send(bytes),
		pause: ({ ms }) => this.pause(ms),
		until: ({ moment }) => this.pause(moment - this.#clock.now()),
		end: () => this.#end(),
		stall: () => this.#closed,
		close: () => void this.#response.socket?.end(),
		reset: () => this.#reset(),
	};
	#encoder: ReturnType<typeof streamEncoder> | undefined;

	constructor(response: ServerResponse, clock: Pick<Settings, 'now' | 'after'>) {
		this.#response = response;
		this.#clock = clock;
		response.socket?.setNoDelay(true);
		this.#closed = new Promise((resolve) => response.once('close', resolve));
		response.on('error', () => response.destroy());
	}

	async write(delivery: Delivery): Promise<void> {
		for (const step of delivery) {
			if (this.#isClosed && !this.#response.writableEnded) return;
			// Headers go with the first bytes, or before what takes time.
			if (step.kind !== 'bytes' && step.kind !== 'head' && step.kind !== 'end') this.#flush();
			await this.#play(step);
		}
	}

	/** Waits, at most until the client disconnects. */
	async pause(ms: number): Promise<void> {
		let stop = () => {};
		const slept = new Promise<void>((resolve) => (stop = this.#clock.after(ms, resolve)));
		await Promise.race([slept, this.#closed]);
		stop();
	}

	get #isClosed(): boolean {
		return this.#response.destroyed || this.#response.socket === null;
	}

	async #play<Kind extends Step['kind']>(step: StepOf<Kind> & { kind: Kind }): Promise<void> {
		const play: (step: StepOf<Kind>) => void | Promise<void> = this.#actions[step.kind];
		await play(step);
	}

	#flush(): void {
		if (this.#response.headersSent) this.#response.flushHeaders();
	}

	#head({ status, headers, encoding }: StepOf<'head'>): void {
		const extra = encoding ? { 'content-encoding': encoding } : {};
		this.#response.writeHead(status, { ...headers, ...extra });
		if (!encoding) return;
		this.#encoder = streamEncoder(encoding);
		this.#encoder.on('data', (bytes: Buffer) => this.#response.write(bytes));
	}

	/** Sends bytes in a packet of their own and waits until the operating system has taken them. */
	async #send(bytes: string | Uint8Array): Promise<void> {
		if (bytes.length === 0) return;
		const encoder = this.#encoder;
		const sent = new Promise<void>((resolve) => {
			if (encoder) encoder.write(bytes, () => resolve());
			else this.#response.write(bytes, () => resolve());
		});
		await Promise.race([sent, this.#closed]);
		await nextTurn();
	}

	async #end(): Promise<void> {
		const encoder = this.#encoder;
		if (encoder && !this.#isClosed) {
			await new Promise<void>((resolve) => encoder.once('end', resolve).end());
		}
		this.#response.end();
	}

	#reset(): void {
		const { socket } = this.#response;
		try {
			socket?.resetAndDestroy();
		} catch {
			// A TLS socket cannot send a reset itself.
			socket?.destroy();
		}
	}
}
