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

/** The latest requests, and how many of each endpoint were received. */
export class RequestLog {
	readonly requests: ReceivedRequest[] = [];
	readonly #counts = new Map<Endpoint, number>();

	constructor(private readonly maxRequests: number) {}

	record(request: ReceivedRequest): void {
		this.requests.push(request);
		if (this.requests.length > this.maxRequests) this.requests.shift();
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
