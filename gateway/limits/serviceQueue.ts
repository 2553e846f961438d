import type { Clock } from '../clock';
import { CancelledError } from '../errors/gatewayError';
import { sha256 } from '../hash';
import { type Line, type Permit, Scope, type ScopeName, type Slots, type Waiter } from './scope';

/**
 * The requests that wait to be sent. A request that waits takes no slot. Runs of nodes take turns in each scope: one with a
 * thousand requests delays the single request of another by one request.
 */
export class ServiceQueue {
	private readonly scopes = new Map<string, Scope>();
	/** With so many scopes, the idle ones are forgotten. It doubles, so that each new scope does not ask all others. */
	private full = 1;
	/** The line whose last turn is the longest ago comes first. */
	private readonly lines = new Set<Line>();
	private stopTimer = () => {};

	/** @param defer runs an action when the connection of a request that has ended can be used again */
	constructor(
		private readonly clock: Clock,
		private readonly defer: (handOn: () => void) => void = (handOn) => handOn(),
	) {}

	/**
	 * Resolves when the request is to be sent. `release` must follow.
	 * @param account stands for the key and the Base URL
	 * @throws CancelledError at once when `signal` is aborted
	 * @throws GatewayError when the scope is suspended while the request waits
	 */
	acquire(slots: Slots, account: string, name: ScopeName, signal?: AbortSignal): Promise<Permit> {
		return new Promise((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const scope = this.scopeOf(account, name);
			const line: Line = scope.lines.get(slots) ?? new Set();
			const leave = () => {
				line.delete(waiter);
				if (line.size === 0) {
					scope.lines.delete(slots);
					this.lines.delete(line);
				}
				signal?.removeEventListener('abort', cancel);
			};
			const waiter: Waiter = {
				scope,
				slots,
				admit: () => {
					leave();
					slots.inFlight += 1;
					resolve(scope.send(slots));
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
			scope.lines.set(slots, line.add(waiter));
			this.lines.add(line);
			this.admit();
		});
	}

	/** The service did not refuse the request, so it may take more. */
	take(permit: Permit): void {
		permit.scope.take(permit);
		this.admit();
	}

	/** The request has ended. */
	release(permit: Permit): void {
		permit.scope.end(permit);
		this.defer(() => {
			permit.slots.inFlight -= 1;
			this.admit();
		});
	}

	/** Sends the requests that may be sent now, and sets a timer for the next one. */
	admit(): void {
		this.stopTimer();
		let ms = this.admitOne();
		while (ms === 0) ms = this.admitOne();
		this.stopTimer = ms < Infinity ? this.clock.after(Math.ceil(ms), () => this.admit()) : () => {};
	}

	/** Sends one request, if one may be sent now. Returns milliseconds until the next; Infinity: when another request has ended. */
	private admitOne(): number {
		let soonest = Infinity;
		for (const line of this.lines) {
			const [oldest] = line;
			if (!oldest?.slots.hasFree) continue;
			const ms = oldest.scope.msUntilNext();
			soonest = Math.min(soonest, ms);
			if (ms > 0) continue;
			this.lines.delete(line);
			this.lines.add(line);
			oldest.admit();
			return 0;
		}
		return soonest;
	}

	/** The scope of this name. An idle one is replaced. */
	private scopeOf(account: string, { endpoint, model = '' }: ScopeName): Scope {
		const { scopes } = this;
		// A hash of the model: a scope lives longer than its request, and a stranger may have written the ID.
		const name = `${account} ${endpoint} ${sha256(model)}`;
		const known = scopes.get(name);
		if (known && !known.isIdle) return known;
		if (scopes.size >= this.full) {
			for (const [other, { isIdle }] of scopes) if (isIdle) scopes.delete(other);
			this.full = 2 * scopes.size + 1;
		}
		const scope = new Scope(this.clock, account, endpoint, scopes);
		scopes.set(name, scope);
		return scope;
	}
}

/** One for each clock; a process has one clock. */
const queues = new WeakMap<Clock, ServiceQueue>();

/** The queue that all nodes and executions of the process share. */
export function sharedQueue(clock: Clock, defer: (handOn: () => void) => void): ServiceQueue {
	const queue = queues.get(clock) ?? new ServiceQueue(clock, defer);
	queues.set(clock, queue);
	return queue;
}
