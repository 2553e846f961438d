import type { Clock } from '../clock';
import { CancelledError } from '../errors/gatewayError';
import { Key, type Permit, Scope, type Waiter } from './scope';

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
	endpoint: 'chat' | 'video' | 'polls' | 'models' | 'files';
	/** If its requests are for one. */
	model?: string;
}

/** One execution of a node: Max Concurrency is how many of its requests are in flight at once. */
export class Execution {
	inFlight = 0;

	constructor(readonly maxConcurrency: number) {}
}

/** Who waits for a request to be sent. */
export interface Arrival {
	execution: Execution;
	/** Whether it goes before others of its execution, at any time while it waits. */
	goesFirst?: (() => boolean) | undefined;
	signal?: AbortSignal | undefined;
}

/**
 * The requests to one service that wait to be sent. One that waits has neither a slot of its execution nor a connection. Keys
 * take turns, within a key its scopes, and within a scope its executions: whoever sends a thousand requests delays the one
 * request of another by one.
 */
export class ServiceQueue {
	private readonly keys = new Map<string, Key>();
	private inFlight = 0;
	private stopTimer = () => {};

	/** @param defer hands on what a request used, at once unless the transport needs a moment */
	constructor(
		private readonly clock: Clock,
		private readonly defer: (handOn: () => void) => void = (handOn) => handOn(),
	) {}

	get isIdle(): boolean {
		return [...this.keys.values()].every(({ isIdle }) => isIdle);
	}

	/**
	 * Resolves when the request is to be sent. `release` must follow.
	 * @param key identifies a key
	 * @throws CancelledError at once when `signal` is aborted
	 * @throws GatewayError when the scope is suspended while the request waits
	 */
	async acquire(
		key: string,
		name: ScopeName,
		{ execution, goesFirst, signal }: Arrival,
	): Promise<Permit> {
		return await new Promise<Permit>((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const scope = this.scopeOf(key, name);
			const line = scope.lines.get(execution) ?? new Set();
			const leave = () => {
				line.delete(waiter);
				if (line.size === 0) scope.lines.delete(execution);
				signal?.removeEventListener('abort', cancel);
			};
			const waiter: Waiter = {
				goesFirst,
				admit: () => {
					leave();
					const permit = scope.send(execution);
					this.count(permit, 1);
					resolve(permit);
				},
				fail: (error) => {
					leave();
					reject(error);
				},
			};
			const cancel = () => {
				waiter.fail(new CancelledError());
				this.admit();
			};
			signal?.addEventListener('abort', cancel, { once: true });
			scope.lines.set(execution, line.add(waiter));
			this.admit();
		});
	}

	/** The service took the request. It may take more than before. */
	take(permit: Permit): void {
		permit.scope.take(permit);
		this.admit();
	}

	/** The request has ended. */
	release(permit: Permit): void {
		permit.scope.end(permit);
		this.defer(() => {
			this.count(permit, -1);
			this.admit();
		});
	}

	/** Sends what may go, in turn, and the rest when it may. */
	admit(): void {
		this.stopTimer();
		let next = this.next();
		for (; typeof next !== 'number'; next = this.next()) next.admit();
		this.stopTimer =
			next < Infinity ? this.clock.after(Math.ceil(next), () => this.admit()) : () => {};
	}

	/** Who goes next, or how many milliseconds until someone may. Its parties get their next turn after all others. */
	private next(): Waiter | number {
		let soonest = Infinity;
		for (const [keyName, key] of this.keys)
			for (const [name, scope] of key.scopes) {
				if (scope.lines.size === 0) continue;
				const ms = this.hasConnection(scope) ? scope.msUntilNext() : Infinity;
				if (ms > 0) soonest = Math.min(soonest, ms);
				else
					for (const [execution, line] of scope.lines) {
						if (execution.inFlight >= execution.maxConcurrency) continue;
						moveToEnd(this.keys, keyName);
						moveToEnd(key.scopes, name);
						moveToEnd(scope.lines, execution);
						const [oldest] = line;
						const first = oldest?.goesFirst && [...line].find(({ goesFirst }) => goesFirst?.());
						return first ?? oldest ?? Infinity;
					}
			}
		return soonest;
	}

	/** What is known of a scope. */
	private scopeOf(key: string, { endpoint, model = '' }: ScopeName): Scope {
		const owner = kept(this.keys, key, () => new Key());
		const name = `${endpoint} ${model}`;
		// A limit is forgotten.
		if (owner.scopes.get(name)?.isIdle) owner.scopes.delete(name);
		const scope = kept(owner.scopes, name, () => new Scope(this.clock, owner, endpoint));
		// Others that wait have their turn first.
		if (scope.lines.size === 0) moveToEnd(owner.scopes, name);
		return scope;
	}

	private count({ scope, execution }: Permit, by: 1 | -1): void {
		execution.inFlight += by;
		scope.key.inFlight += by;
		this.inFlight += by;
	}

	private hasConnection({ key, isOfPosts }: Scope): boolean {
		const max = MAX_CONNECTIONS - (isOfPosts ? FOR_GETS : 0);
		return key.inFlight < OF_EACH_KEY || (this.inFlight < max && key.inFlight < max - OF_EACH_KEY);
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

function moveToEnd<Name, Value>(map: Map<Name, Value>, name: Name): void {
	const value = map.get(name) as Value;
	map.delete(name);
	map.set(name, value);
}
