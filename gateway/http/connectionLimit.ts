import { Semaphore } from '../limits/semaphore';
import { whenConnectionIsFree } from './transport';

/**
 * How many requests one n8n process has in flight to one service. Max Concurrency bounds each node, up to 100; this
 * bounds all nodes and executions together. Two nodes at 100 still leave room for others, and nginx, as it is
 * shipped, passes on 256 requests at once (512 worker_connections, two for each request). More sockets would only move
 * the queue to where a request counts as sent while it waits. Here it waits in the order of arrival, unsent, without
 * a limit of time; only Stop ends the wait.
 */
const MAX_CONNECTIONS = 256;
/** Services whose requests are counted. A dropped one is counted from zero at its next execution. */
const MAX_SERVICES = 100;

const limits = new Map<string, Semaphore>();

/** The process-wide limit of connections to the service at `origin`. */
export function connectionLimitOf(origin: string): Semaphore {
	const limit = limits.get(origin) ?? new Semaphore(MAX_CONNECTIONS, whenConnectionIsFree);
	limits.delete(origin);
	const [longestUnused] = limits.keys();
	if (limits.size >= MAX_SERVICES && longestUnused !== undefined) limits.delete(longestUnused);
	limits.set(origin, limit);
	return limit;
}
