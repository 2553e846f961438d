import { CancelledError } from '../errors/gatewayError';

interface Waiter {
	goesFirst: (() => boolean) | undefined;
	admit: () => void;
	fail: (error: unknown) => void;
}

/** Who waits: parties and what is within each of them, such as the executions of a key. */
type Parties = Map<unknown, Parties | Waiter>;

/**
 * A queue that can be left at any time, and in which parties take turns: whoever sends a thousand requests delays the one
 * request of another party by one. Within a party, first come, first served, but for those that go first.
 */
export class WaitQueue {
	private readonly parties: Parties = new Map();
	private count = 0;

	get length(): number {
		return this.count;
	}

	/**
	 * Resolves when admitted; rejects at once with a CancelledError when `signal` is aborted.
	 * @param onAdmit runs at the moment of admission
	 * @param path the party, the party within it, and so on
	 * @param goesFirst whether it goes before others of its party, which may change while it waits; all of a party have it
	 * or none
	 */
	join<Result>(
		onAdmit: () => Result,
		signal?: AbortSignal,
		path: readonly unknown[] = [],
		goesFirst?: () => boolean,
	): Promise<Result> {
		return new Promise<Result>((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const leave = () => {
				remove(this.parties, path, waiter);
				this.count -= 1;
				signal?.removeEventListener('abort', cancel);
			};
			const waiter: Waiter = {
				goesFirst,
				admit: () => {
					leave();
					resolve(onAdmit());
				},
				fail: (error) => {
					leave();
					reject(error);
				},
			};
			const cancel = () => waiter.fail(new CancelledError());
			signal?.addEventListener('abort', cancel, { once: true });
			let place = this.parties;
			for (const party of path) {
				const within = place.get(party);
				const next: Parties = within instanceof Map ? within : new Map();
				place.set(party, next);
				place = next;
			}
			place.set(waiter, waiter);
			this.count += 1;
		});
	}

	/** Whether this party waits. */
	has(party: unknown): boolean {
		return this.parties.has(party);
	}

	/** Whether a party waits that may go. */
	some(mayGo: (party: unknown) => boolean): boolean {
		for (const party of this.parties.keys()) if (mayGo(party)) return true;
		return false;
	}

	/**
	 * Admits the next one of the party whose turn it is.
	 * @param mayGo skips parties that cannot use their turn; they keep it
	 * @returns whether there was one
	 */
	admitNext(mayGo: (party: unknown) => boolean = () => true): boolean {
		const next = takeTurn(this.parties, mayGo);
		next?.admit();
		return next !== undefined;
	}

	admitAll(): void {
		while (this.admitNext());
	}

	failAll(error: unknown): void {
		for (let next = takeTurn(this.parties); next; next = takeTurn(this.parties)) next.fail(error);
	}
}

/** The next waiter; its parties get their next turn after all others. */
function takeTurn(parties: Parties, mayGo?: (party: unknown) => boolean): Waiter | undefined {
	for (const [party, within] of parties) {
		if (mayGo?.(party) === false) continue;
		if (!(within instanceof Map)) return within.goesFirst ? (firstOf(parties) ?? within) : within;
		parties.delete(party);
		parties.set(party, within);
		return takeTurn(within);
	}
	return undefined;
}

function firstOf(waiters: Parties): Waiter | undefined {
	for (const waiter of waiters.values())
		if (!(waiter instanceof Map) && waiter.goesFirst?.()) return waiter;
	return undefined;
}

function remove(parties: Parties, path: readonly unknown[], waiter: Waiter): void {
	if (path.length === 0) return void parties.delete(waiter);
	const [party, ...rest] = path;
	const within = parties.get(party);
	if (!(within instanceof Map)) return;
	remove(within, rest, waiter);
	if (within.size === 0) parties.delete(party);
}
