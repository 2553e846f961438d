import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from './endpoints';

export interface ReceivedRequest {
	endpoint: Endpoint;
	method: string;
	/** With the query, without the host. */
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed where it is JSON, else the text; undefined when there was none. */
	body: unknown;
	/** Milliseconds since 1970 by the simulator's clock. */
	at: number;
}

/** What the simulator received: the latest requests, and exact counts of all. */
export class RequestLog {
	readonly requests: ReceivedRequest[] = [];
	readonly #counts = new Map<Endpoint, number>();

	constructor(private readonly kept: number) {}

	record(request: ReceivedRequest): void {
		this.requests.push(request);
		if (this.requests.length > this.kept) this.requests.shift();
		this.#counts.set(request.endpoint, this.count(request.endpoint) + 1);
	}

	count(endpoint: Endpoint): number {
		return this.#counts.get(endpoint) ?? 0;
	}

	clear(): void {
		this.requests.length = 0;
		this.#counts.clear();
	}
}
