import type { Clock } from './clock';
import type { OnProgress } from './http/body';
import type { HttpRequest, HttpResponse, Method, Transport } from './http/types';
import type { ScopeName, Slots } from './limits/scope';
import type { ServiceQueue } from './limits/serviceQueue';
import type { ApiKey } from './redaction';

/** How requests are sent. */
export interface SendOptions {
	/** How often a request is retried after a transient failure. */
	maxRetries: number;
	/** The idle timeout: milliseconds without a response, or without a byte of its body. */
	timeoutMs: number;
	/** Gets a line for each attempt of a request. */
	writeDebugLine?: (line: string) => void;
}

/** How to reach one service with one key. */
export interface RequestContext extends SendOptions {
	transport: Transport;
	origin: string;
	/** Path of the Base URL, without a trailing slash. */
	prefix: string;
	apiKey: ApiKey;
	queue: ServiceQueue;
	/** Of the run of the node, with all its keys. */
	slots: Slots;
	/** Stands for the key and the Base URL. */
	account: string;
	clock: Clock;
}

export interface ServiceRequest {
	method: Method;
	/** Path below the Base URL. */
	path: string;
	body?: string;
	accept?: string;
	scope: ScopeName;
	/**
	 * Milliseconds, from when the request leaves the queue, in which it is retried and its response must begin. The last attempt
	 * has at least ten seconds. Default: Max Retries and the idle timeout are the only limits.
	 */
	withinMs?: number | undefined;
	/** Default: `pooled`. */
	connection?: HttpRequest['connection'];
}

/** A response whose body is still to be read. */
export interface ServiceResponse extends HttpResponse {
	/**
	 * To be called when a part of the body arrives: the idle timeout starts again.
	 * @param isContent false for bytes that may only keep the connection alive
	 */
	onProgress: OnProgress;
	/** To be removed from the response. */
	apiKey: ApiKey;
	clock: Clock;
}
