import type { Step } from '../../../simulator/delivery';
import type { IncomingRequest } from '../../../simulator/requestHandler';
import type { Service } from './service';
import type { TruthRequest } from './truth';

/** The client's end of one request. */
export interface Client {
	/** The request is being written. */
	onWritten(): void;
	onHead(status: number, headers: Record<string, string>): void;
	onBytes(bytes: Buffer): void;
	onEnd(): void;
	/** A connection failed, or none was made. */
	onFailure(error: Error): void;
}

const YEAR_S = 365 * 24 * 3600;

/** A response that arrives as a whole and that nobody can read. */
const DAMAGED = /-gzip$/;

type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;
/** What the client notices of a step; false if the next step is for later. */
type Actions = { [Kind in Step['kind']]: (step: StepOf<Kind>) => boolean };

/** One request on its way to the service and back, on the clock of the simulation. */
export class Exchange {
	private steps: Iterator<Step> | undefined;
	private truth: TruthRequest | undefined;
	private isOpen = true;
	private closedAt: number | undefined;
	private isPaused = false;
	private isWaiting = true;
	private release = () => {};
	private readonly actions: Actions = {
		head: ({ status, headers }) => this.head(status, headers),
		bytes: ({ bytes }) => {
			if (bytes.length === 0) return true;
			const part = bufferOf(bytes);
			if (this.truth) noteBody(this.truth, part);
			this.client.onBytes(part);
			return true;
		},
		pause: ({ ms }) => this.later(ms),
		until: ({ moment }) => this.later(moment - this.service.now()),
		end: () => {
			if (this.truth) this.truth.whole = !DAMAGED.test(this.truth.fault ?? '');
			this.close();
			this.client.onEnd();
			return false;
		},
		stall: () => false,
		close: () => this.fail(socketError('other side closed', 'UND_ERR_SOCKET')),
		reset: () =>
			this.fail(
				this.truth?.fault === 'lost-route'
					? socketError('read EHOSTUNREACH', 'EHOSTUNREACH')
					: socketError('read ECONNRESET', 'ECONNRESET'),
			),
	};

	constructor(
		private readonly service: Service,
		private readonly request: IncomingRequest,
		private readonly client: Client,
	) {}

	get isOver(): boolean {
		return !this.isOpen;
	}

	/** Connects and sends the request. */
	start(): void {
		const { service, request } = this;
		service.open.add(this);
		const failure = service.connectionFailure(request);
		if (failure)
			service.after(failure.afterMs, () => void (this.isOpen && this.fail(failure.error)));
		else this.connect();
	}

	private connect(): void {
		const { service, request } = this;
		const sentAt = service.now();
		const ms = service.connectMs(request);
		if (ms > 0) service.after(ms, () => this.write(sentAt));
		else this.write(sentAt);
	}

	/** The client reads no further for now. */
	pause(): void {
		this.isPaused = true;
	}

	resume(): void {
		this.isPaused = false;
		if (!this.isWaiting) this.advance();
	}

	/** The client closes the connection, or its process ends: it notices nothing more. What is written still arrives. */
	giveUp(): void {
		if (this.isOpen) this.close();
	}

	private write(sentAt: number): void {
		if (!this.isOpen) return;
		this.client.onWritten();
		// A client that gives up now has written nothing.
		if (!this.isOpen) return;
		this.service.arriving += 1;
		this.service.after(this.service.latencyMs(this.request), () => void this.arrive(sentAt));
	}

	private async arrive(sentAt: number): Promise<void> {
		this.service.arriving -= 1;
		const { truth, delivery, workMs, finish } = await this.service.serve(this.request, sentAt);
		this.truth = truth;
		if (!this.isOpen) {
			truth.endedAt = this.closedAt;
			return finish();
		}
		this.release = finish;
		this.steps = delivery[Symbol.iterator]();
		this.later(workMs + this.service.latencyMs(this.request));
	}

	private later(ms: number): boolean {
		this.isWaiting = true;
		this.service.after(Math.max(0, ms), () => this.advance());
		return false;
	}

	private advance(): void {
		this.isWaiting = false;
		while (this.isOpen && !this.isPaused && !this.isWaiting) {
			const next = this.steps?.next();
			if (next === undefined || next.done || !this.perform(next.value)) return;
		}
	}

	private perform<Kind extends Step['kind']>(step: StepOf<Kind> & { kind: Kind }): boolean {
		const action: (step: StepOf<Kind>) => boolean = this.actions[step.kind];
		return action(step);
	}

	private head(status: number, headers: Record<string, string>): boolean {
		const now = this.service.now();
		if (this.truth) {
			this.truth.status = status;
			this.truth.heardAt = now;
			notePause(this.truth, headers);
		}
		this.client.onHead(status, { date: new Date(now).toUTCString(), ...headers });
		return true;
	}

	private fail(error: Error): boolean {
		this.close();
		this.client.onFailure(error);
		return false;
	}

	private close(): void {
		this.isOpen = false;
		this.closedAt = this.service.now();
		this.service.open.delete(this);
		this.release();
		if (this.truth) this.truth.endedAt = this.closedAt;
	}
}

function bufferOf(bytes: string | Uint8Array): Buffer {
	if (typeof bytes === 'string') return Buffer.from(bytes);
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function socketError(message: string, code: string): Error {
	return Object.assign(new Error(message), { code });
}

function noteBody(truth: TruthRequest, part: Buffer): void {
	if ((truth.status ?? 0) >= 400) {
		truth.refusal += part.toString();
		notePauseInside(truth);
	}
}

/** The pause that a response asks for, as the service counts it. */
function notePause(truth: TruthRequest, headers: Record<string, string>): void {
	const { 'retry-after': asked = '', date = '' } = headers;
	const moment = Date.parse(asked) - (Date.parse(date) || truth.at);
	const stated = /^[\d.]+$/.test(asked) ? Number(asked) : moment / 1000;
	// A Unix time, say: nobody waits that long.
	const seconds = stated > YEAR_S ? NaN : stated;
	const reset = Number(headers['x-ratelimit-reset-requests'] ?? NaN) * 1000;
	if (Number.isNaN(seconds) && Number.isNaN(reset)) return;
	truth.pauseUntil = Number.isNaN(seconds) ? reset : truth.at + seconds * 1000;
	truth.retryAfter = (truth.pauseUntil - truth.at) / 1000;
}

/** The one that an error itself asks for counts more. */
function notePauseInside(truth: TruthRequest): void {
	const [, number] = /"retry_after":([\d.]+)/.exec(truth.refusal) ?? [];
	const seconds = Number(number ?? NaN);
	if (!(seconds > 0) || seconds > YEAR_S) return;
	truth.pauseUntil = truth.at + seconds * 1000;
	truth.retryAfter = seconds;
}
