import type { Clock } from '../clock';
import { type Permit, Scope, type Suspension } from './scope';
import { type Party, WaitQueue } from './waitQueue';

/**
 * How many requests one n8n process has in flight to one service. Max Concurrency bounds each node, up to 100; this
 * bounds all nodes and executions together. Two nodes at 100 still leave room for others, and nginx, as it is
 * shipped, passes on 256 requests at once (512 worker_connections, two for each request). More sockets would only move
 * the queue to where a request counts as sent while it waits.
 */
const MAX_CONNECTIONS = 256;
/** Of these, only a GET may take the last ones: polls and lists are short, and must not wait for long answers. */
const FOR_GETS = 32;
/**
 * So many requests of a key are sent at once, whatever other keys have in flight, even if that makes more than the maximum: what
 * hangs with one key must not hold up another. One key leaves so many connections free.
 */
const OF_EACH_KEY = 16;
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

	get mayGo(): boolean {
		return this.inFlight < this.maxConcurrency;
	}
}

/** Requests in flight. */
interface InFlight {
	gets: number;
	posts: number;
}

/** A key, its scopes, and its requests in flight. */
class Key implements Party, InFlight {
	readonly mayGo = true;
	readonly scopes = new Map<string, Scope>();
	gets = 0;
	posts = 0;

	get isIdle(): boolean {
		return [...this.scopes.values()].every(({ isIdle }) => isIdle);
	}
}

/** What waits for a request to be sent. */
export interface Arrival {
	execution: Execution;
	/** The suspension when the request was made. One that began later fails it. */
	knownSuspension: Suspension | undefined;
	/** Whether it goes before others of its execution, at any time while it waits. */
	goesFirst?: (() => boolean) | undefined;
	signal?: AbortSignal | undefined;
}

/**
 * The requests to one service that wait to be sent. One that waits has neither a slot of its execution nor a connection. Keys
 * take turns, within a key its scopes, and within a scope its executions.
 */
export class ServiceQueue implements InFlight {
	gets = 0;
	posts = 0;
	private readonly queue = new WaitQueue();
	private readonly keys = new Map<string, Key>();
	private stopTimer = () => {};

	/** @param defer hands on what a request used, at once unless the transport needs a moment */
	constructor(
		private readonly clock: Clock,
		private readonly defer: (handOn: () => void) => void,
	) {}

	get isIdle(): boolean {
		return [...this.keys.values()].every(({ isIdle }) => isIdle);
	}

	/** @param key identifies a key; returns the lane in which requests of this scope wait */
	laneOf(key: string, { endpoint, model = '' }: ScopeName): Lane {
		const owner = kept(this.keys, key, () => new Key());
		const isGet = endpoint === 'polls' || endpoint === 'models';
		const scope = kept(owner.scopes, `${endpoint} ${model}`, () => {
			const hasConnection = () => this.hasConnection(owner, isGet);
			return new Scope(this.clock, endpoint === 'polls', owner.scopes, hasConnection);
		});
		return { scope, owner, kind: isGet ? 'gets' : 'posts' };
	}

	/**
	 * Resolves when the request is to be sent. `release` must follow.
	 * @throws CancelledError at once when `signal` is aborted
	 * @throws GatewayError when the scope is suspended while the request waits
	 */
	async acquire(lane: Lane, arrival: Arrival): Promise<Permit> {
		const { execution, knownSuspension, goesFirst, signal } = arrival;
		const { scope, owner } = lane;
		if (scope.suspension && scope.suspension !== knownSuspension) throw scope.suspension.error;
		const path = [owner, scope, execution];
		if (!this.queue.has([owner, scope])) scope.forgetIfUnused();
		const mayGo = execution.mayGo && scope.mayGo && !this.queue.has(path);
		if (mayGo && !signal?.aborted) return this.send(lane, execution);
		const admitted = this.queue.join(path, () => this.send(lane, execution), signal, goesFirst);
		this.admit();
		try {
			return await admitted;
		} finally {
			if (signal?.aborted) this.startTimer();
		}
	}

	/** The request has ended. */
	release({ scope, owner, kind }: Lane, execution: Execution, permit: Permit): void {
		const failure = scope.end(permit);
		if (failure !== undefined) {
			this.queue.failAll([owner, scope], failure);
			this.startTimer();
		}
		this.defer(() => {
			execution.inFlight -= 1;
			owner[kind] -= 1;
			this[kind] -= 1;
			this.admit();
		});
	}

	/** Sends what may go, and the rest when it may. */
	admit(): void {
		while (this.queue.admitNext());
		this.startTimer();
	}

	private send({ scope, owner, kind }: Lane, execution: Execution): Permit {
		execution.inFlight += 1;
		owner[kind] += 1;
		this[kind] += 1;
		return scope.send();
	}

	private startTimer(): void {
		this.stopTimer();
		let next = Infinity;
		for (const key of this.queue.partiesOf([])) {
			for (const scope of this.queue.partiesOf([key])) {
				if (!(scope instanceof Scope)) continue;
				const ms = scope.msUntilNext();
				const waits = this.queue.partiesOf([key, scope]).some(({ mayGo }) => mayGo);
				scope.isHeld = ms > 0 && waits;
				// It may have become possible a moment ago.
				if (waits && (ms > 0 || scope.mayGo)) next = Math.min(next, ms);
			}
		}
		if (next < Infinity) this.stopTimer = this.clock.after(Math.ceil(next), () => this.admit());
	}

	private hasConnection({ gets, posts }: Key, isGet: boolean): boolean {
		if (gets + posts < OF_EACH_KEY) return true;
		if (this.gets + this.posts >= MAX_CONNECTIONS) return false;
		if (isGet) return gets + posts < MAX_CONNECTIONS - OF_EACH_KEY;
		const forPosts = MAX_CONNECTIONS - FOR_GETS;
		return this.posts < forPosts && posts < forPosts - OF_EACH_KEY;
	}
}

/** Where requests of one scope wait. */
export interface Lane {
	scope: Scope;
	owner: Key;
	kind: keyof InFlight;
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
