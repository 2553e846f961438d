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
/**
 * So many requests of a key are sent at once, whatever other keys have in flight, even if that makes more than the maximum: what
 * hangs with one key must not hold up another. One key leaves so many connections free.
 */
const OF_EACH_KEY = 16;
/** Services whose requests are counted. A dropped one is counted from zero at its next execution. */
const MAX_SERVICES = 100;

/** Who asks for a connection: keys take turns, and within a key its executions. */
export interface Applicant {
	isGet: boolean;
	key: unknown;
	execution: unknown;
}

/** Requests of one key in flight. */
interface InFlight {
	gets: number;
	posts: number;
}

/** The connections of requests in flight to one service. GETs and POSTs take turns. */
export class ConnectionLimit {
	private readonly gets = new WaitQueue();
	private readonly posts = new WaitQueue();
	private readonly all: InFlight = { gets: 0, posts: 0 };
	private readonly byKey = new Map<unknown, InFlight>();
	private isTurnOfGets = false;

	/**
	 * Takes a connection as soon as one is free. The caller must release it.
	 * @throws CancelledError at once when `signal` is aborted while waiting
	 */
	acquire(applicant: Applicant, signal?: AbortSignal): Promise<void> {
		const { isGet, key, execution } = applicant;
		const take = () => this.count(applicant, 1);
		if (!this.isFree(applicant) || signal?.aborted)
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

	private isFree({ isGet, key }: Pick<Applicant, 'isGet' | 'key'>): boolean {
		const { gets, posts } = this.byKey.get(key) ?? { gets: 0, posts: 0 };
		if (gets + posts < OF_EACH_KEY) return true;
		if (this.all.gets + this.all.posts >= MAX_CONNECTIONS) return false;
		if (isGet) return gets + posts < MAX_CONNECTIONS - OF_EACH_KEY;
		const forPosts = MAX_CONNECTIONS - FOR_GETS;
		return this.all.posts < forPosts && posts < forPosts - OF_EACH_KEY;
	}

	private admitGet(): boolean {
		return this.gets.admitNext((key) => this.isFree({ isGet: true, key }));
	}

	private admitPost(): boolean {
		return this.posts.admitNext((key) => this.isFree({ isGet: false, key }));
	}

	private count({ isGet, key }: Applicant, by: 1 | -1): void {
		const kind = isGet ? 'gets' : 'posts';
		const ofKey = this.byKey.get(key) ?? { gets: 0, posts: 0 };
		this.byKey.set(key, ofKey);
		for (const inFlight of [this.all, ofKey]) inFlight[kind] += by;
		if (ofKey.gets + ofKey.posts === 0) this.byKey.delete(key);
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
