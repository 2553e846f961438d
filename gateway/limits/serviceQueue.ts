import type { Clock } from '../clock';
import { Key, type Permit, Scope } from './scope';
import { type Party, WaitQueue } from './waitQueue';

/**
 * How many requests one n8n process has in flight to one service. Max Concurrency bounds each node, up to 100; this
 * bounds all nodes and executions together. Two nodes at 100 still leave room for others, and nginx, as it is
 * shipped, passes on 256 requests at once (512 worker_connections, two for each request). More sockets would only move
 * the queue to where a request counts as sent while it waits.
 */
const MAX_CONNECTIONS = 256;
/**
 * So many requests of a key are sent at once, whatever other keys have in flight, even if that makes more than the maximum: what
 * hangs with one key must not hold up another. One key leaves so many connections free.
 */
const OF_EACH_KEY = 16;
/** Only a GET may take the last ones: polls and lists are short, and must not wait for long answers. */
const FOR_GETS = 2 * OF_EACH_KEY;
/** Services, keys of a service and scopes of a key that are kept in memory, unless more are in use. */
const MAX_KEPT = 1_000;

/**
 * What a service may limit by itself: the interface document does not say whether a limit is of a key, an endpoint or a
 * model. So requests for one model do not wait for another, polls for neither, and the catalogue for none.
 */
export interface ScopeName {
	/** `polls` are not held back by a long pause. */
	endpoint: 'chat' | 'video' | 'polls' | 'models';
	/** If its requests are for one. */
	model?: string;
}

/** One execution of a node: Max Concurrency is how many of its requests are in flight at once. */
export class Execution implements Party {
	inFlight = 0;

	constructor(private readonly maxConcurrency: number) {}

	msUntilNext(): number {
		return this.inFlight < this.maxConcurrency ? 0 : Infinity;
	}
}

/** What waits for a request to be sent. */
export interface Arrival {
	execution: Execution;
	/** It was sent before: it is not sent again once the scope is suspended. */
	isRetry: boolean;
	/** Whether it goes before others of its execution, at any time while it waits. */
	goesFirst?: (() => boolean) | undefined;
	signal?: AbortSignal | undefined;
}

/**
 * The requests to one service that wait to be sent. One that waits has neither a slot of its execution nor a connection. Keys
 * take turns, within a key its scopes, and within a scope its executions.
 */
export class ServiceQueue {
	private readonly queue = new WaitQueue();
	private readonly keys = new Map<string, Key>();
	private readonly inFlight = { gets: 0, posts: 0 };
	private stopTimer = () => {};

	/** @param defer hands on what a request used, at once unless the transport needs a moment */
	constructor(
		private readonly clock: Clock,
		private readonly defer: (handOn: () => void) => void,
	) {}

	get isIdle(): boolean {
		return [...this.keys.values()].every(({ isIdle }) => isIdle);
	}

	/** @param key identifies a key; returns what is known of this scope */
	scopeOf(key: string, { endpoint, model = '' }: ScopeName): Scope {
		const owner = kept(this.keys, key, () => new Key());
		const name = `${endpoint} ${model}`;
		// A limit is forgotten.
		if (owner.scopes.get(name)?.isIdle) owner.scopes.delete(name);
		return kept(owner.scopes, name, () => {
			const kind = endpoint === 'polls' || endpoint === 'models' ? 'gets' : 'posts';
			const hasConnection = () => this.hasConnection(owner, kind);
			return new Scope(this.clock, owner, kind, endpoint === 'polls', hasConnection);
		});
	}

	/**
	 * Resolves when the request is to be sent. `release` must follow.
	 * @throws CancelledError at once when `signal` is aborted
	 * @throws GatewayError when the scope is suspended while the request waits
	 */
	async acquire(scope: Scope, arrival: Arrival): Promise<Permit> {
		const { execution, isRetry, goesFirst, signal } = arrival;
		if (isRetry && scope.suspension) throw scope.suspension;
		const path = [scope.key, scope, execution];
		const onAdmit = () => {
			this.count(scope, execution, 1);
			return scope.send();
		};
		const admitted = this.queue.join(path, onAdmit, signal, goesFirst);
		scope.waiting += 1;
		this.admit();
		try {
			return await admitted;
		} finally {
			scope.waiting -= 1;
			if (signal?.aborted) this.admit();
		}
	}

	/** The request has ended. */
	release(scope: Scope, execution: Execution, permit: Permit): void {
		const failure = scope.end(permit);
		if (failure !== undefined) {
			this.queue.failAll([scope.key, scope], failure);
			this.admit();
		}
		this.defer(() => {
			this.count(scope, execution, -1);
			this.admit();
		});
	}

	/** Sends what may go, and the rest when it may. */
	admit(): void {
		this.stopTimer();
		const ms = this.queue.admit();
		this.stopTimer = ms < Infinity ? this.clock.after(Math.ceil(ms), () => this.admit()) : () => {};
	}

	private count({ key, kind }: Scope, execution: Execution, by: 1 | -1): void {
		execution.inFlight += by;
		key[kind] += by;
		this.inFlight[kind] += by;
	}

	private hasConnection({ gets, posts }: Key, kind: 'gets' | 'posts'): boolean {
		const { inFlight } = this;
		if (gets + posts < OF_EACH_KEY) return true;
		if (inFlight.gets + inFlight.posts >= MAX_CONNECTIONS) return false;
		if (kind === 'gets') return gets + posts < MAX_CONNECTIONS - OF_EACH_KEY;
		const forPosts = MAX_CONNECTIONS - FOR_GETS;
		return inFlight.posts < forPosts && posts < forPosts - OF_EACH_KEY;
	}
}

/** By the clock that their waits use: a process has one. */
const services = new WeakMap<Clock, Map<string, ServiceQueue>>();

/** The queue of the service at `origin`, shared by all nodes and executions of the process. */
export function serviceQueueOf(
	origin: string,
	clock: Clock,
	defer: (handOn: () => void) => void,
): ServiceQueue {
	const queues = services.get(clock) ?? new Map<string, ServiceQueue>();
	services.set(clock, queues);
	return kept(queues, origin, () => new ServiceQueue(clock, defer));
}

/** What a map has by this name. When it is full, what is idle makes room. */
function kept<Value extends { isIdle: boolean }>(
	map: Map<string, Value>,
	name: string,
	create: () => Value,
): Value {
	const known = map.get(name);
	if (known !== undefined) return known;
	if (map.size >= MAX_KEPT) for (const [idle, value] of map) if (value.isIdle) map.delete(idle);
	const value = create();
	map.set(name, value);
	return value;
}
