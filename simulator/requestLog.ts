import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from './endpoints';

export interface ReceivedRequest {
	endpoint: Endpoint;
	method: string;
	/** With the query string, without the host. */
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed if it is JSON, else the text; undefined if there was none. */
	body: unknown;
	/** Milliseconds since 1970 by the simulator's clock. */
	at: number;
}

/** Subjects whose attempts are counted. */
const MAX_SUBJECTS = 10_000;

/** The latest requests, and how many of each endpoint were received. */
export class RequestLog {
	readonly requests: ReceivedRequest[] = [];
	readonly #counts = new Map<Endpoint, number>();
	readonly #attempts = new Map<string, number>();

	constructor(private readonly maxRequests: number) {}

	record(request: ReceivedRequest): void {
		this.requests.push(request);
		if (this.requests.length > this.maxRequests) this.requests.shift();
		this.#counts.set(request.endpoint, this.count(request.endpoint) + 1);
	}

	count(endpoint: Endpoint): number {
		return this.#counts.get(endpoint) ?? 0;
	}

	/** Counts a request about a prompt or a task; the first is 1. */
	attempt(subject: string): number {
		const attempt = (this.#attempts.get(subject) ?? 0) + 1;
		this.#attempts.delete(subject);
		this.#attempts.set(subject, attempt);
		const [oldest] = this.#attempts.keys();
		if (this.#attempts.size > MAX_SUBJECTS && oldest !== undefined) this.#attempts.delete(oldest);
		return attempt;
	}

	clear(): void {
		this.requests.length = 0;
		this.#counts.clear();
		this.#attempts.clear();
	}
}
