import { WaitQueue } from '../limits/waitQueue';
import { whenConnectionIsFree } from './transport';

/**
 * How many requests one n8n process has in flight to one service. Max Concurrency bounds each node, up to 100; this
 * bounds all nodes and executions together. Two nodes at 100 still leave room for others, and nginx, as it is
 * shipped, passes on 256 requests at once (512 worker_connections, two for each request). More sockets would only move
 * the queue to where a request counts as sent while it waits. Here it waits unsent, without a limit of time; only Stop
 * ends the wait.
 */
const MAX_CONNECTIONS = 256;
/** Of these, only a GET may take the last ones: polls and lists are short, and must not wait for long answers. */
const FOR_GETS = 32;
/** Of the others, one key leaves so many free: another key finds a place at once. */
const FOR_OTHER_KEYS = 16;
/** Services whose requests are counted. A dropped one is counted from zero at its next execution. */
const MAX_SERVICES = 100;

/** Who asks for a connection: keys take turns, and within a key its executions. */
export interface Applicant {
	isGet: boolean;
	key: unknown;
	execution: unknown;
}

/** The places for requests in flight to one service. GETs and POSTs take turns. */
export class ConnectionLimit {
	private readonly gets = new WaitQueue();
	private readonly posts = new WaitQueue();
	private getsInFlight = 0;
	private postsInFlight = 0;
	private readonly postsOf = new Map<unknown, number>();
	private isTurnOfGets = false;

	/**
	 * Takes a place as soon as one is free. The caller must release it.
	 * @throws CancelledError at once when `signal` is aborted while waiting
	 */
	acquire(applicant: Applicant, signal?: AbortSignal): Promise<void> {
		const { isGet, key, execution } = applicant;
		const take = () => this.count(applicant, 1);
		const mayGo = isGet ? this.hasPlaceForGet : this.hasPlaceForPost(key);
		if (!mayGo || signal?.aborted)
			return (isGet ? this.gets : this.posts).join(take, signal, [key, execution]);
		take();
		return Promise.resolve();
	}

	release(applicant: Applicant): void {
		whenConnectionIsFree(() => {
			this.count(applicant, -1);
			this.isTurnOfGets = !this.isTurnOfGets;
			const isDone = this.isTurnOfGets ? this.admitGet() : this.admitPost();
			if (isDone) return;
			if (this.isTurnOfGets) this.admitPost();
			else this.admitGet();
		});
	}

	private get hasPlaceForGet(): boolean {
		return this.getsInFlight + this.postsInFlight < MAX_CONNECTIONS;
	}

	private hasPlaceForPost(key: unknown): boolean {
		const places = MAX_CONNECTIONS - FOR_GETS;
		return (
			this.hasPlaceForGet &&
			this.postsInFlight < places &&
			(this.postsOf.get(key) ?? 0) < places - FOR_OTHER_KEYS
		);
	}

	private admitGet(): boolean {
		return this.hasPlaceForGet && this.gets.admitNext();
	}

	private admitPost(): boolean {
		return this.posts.length > 0 && this.posts.admitNext((key) => this.hasPlaceForPost(key));
	}

	private count({ isGet, key }: Applicant, by: 1 | -1): void {
		if (isGet) {
			this.getsInFlight += by;
			return;
		}
		this.postsInFlight += by;
		const ofKey = (this.postsOf.get(key) ?? 0) + by;
		if (ofKey === 0) this.postsOf.delete(key);
		else this.postsOf.set(key, ofKey);
	}
}

const limits = new Map<string, ConnectionLimit>();

/** The process-wide limit of connections to the service at `origin`. */
export function connectionLimitOf(origin: string): ConnectionLimit {
	const limit = limits.get(origin) ?? new ConnectionLimit();
	limits.delete(origin);
	const [longestUnused] = limits.keys();
	if (limits.size >= MAX_SERVICES && longestUnused !== undefined) limits.delete(longestUnused);
	limits.set(origin, limit);
	return limit;
}
