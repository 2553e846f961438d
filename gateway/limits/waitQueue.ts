import { CancelledError } from '../errors/gatewayError';

/** Whoever takes turns with others of its kind: a key, a scope of it, an execution. */
export interface Party {
	/** Milliseconds until one of its requests may be sent; Infinity: when another one ends. Meanwhile it keeps its turn. */
	msUntilNext(): number;
}

interface Waiter {
	goesFirst: (() => boolean) | undefined;
	admit: () => void;
	fail: (error: unknown) => void;
}

/** Parties and those within each of them; at last the requests of one, first come, first served. */
type Level = Map<Party, Level> | Set<Waiter>;

/**
 * A queue that can be left at any time, and in which parties take turns: whoever sends a thousand requests delays the one
 * request of another party by one.
 */
export class WaitQueue {
	private readonly parties: Level = new Map<Party, Level>();

	/**
	 * Resolves when {@link admit} admits it; rejects at once with a CancelledError when `signal` is aborted.
	 * @param path the party, the party within it, and so on; as many for all who wait
	 * @param onAdmit runs at the moment of admission
	 * @param goesFirst whether it goes before others of its party, which may change while it waits
	 */
	async join<Result>(
		path: readonly Party[],
		onAdmit: () => Result,
		signal?: AbortSignal,
		goesFirst?: () => boolean,
	): Promise<Result> {
		return await new Promise<Result>((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const leave = () => {
				remove(this.parties, path, waiter);
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
			add(this.parties, path, waiter);
		});
	}

	/**
	 * Admits all that may go, in turn.
	 * @returns milliseconds until another one may; Infinity: when something ends
	 */
	admit(): number {
		for (;;) {
			const next = takeTurn(this.parties);
			if (typeof next === 'number') return next;
			next.admit();
		}
	}

	/** Fails all requests of this party. */
	failAll(path: readonly Party[], error: unknown): void {
		const level = path.reduce<Level | undefined>(
			(at, party) => (at instanceof Map ? at.get(party) : undefined),
			this.parties,
		);
		for (const waiter of level ? waitersOf(level) : []) waiter.fail(error);
	}
}

function add(level: Level, [party, ...rest]: readonly Party[], waiter: Waiter): void {
	if (level instanceof Set) return void level.add(waiter);
	if (party === undefined) return;
	const within = level.get(party) ?? (rest.length > 0 ? new Map() : new Set());
	level.set(party, within);
	add(within, rest, waiter);
}

function remove(level: Level, [party, ...rest]: readonly Party[], waiter: Waiter): void {
	if (level instanceof Set) return void level.delete(waiter);
	const within = party && level.get(party);
	if (party === undefined || within === undefined) return;
	remove(within, rest, waiter);
	if (within.size === 0) level.delete(party);
}

function waitersOf(level: Level): Waiter[] {
	return level instanceof Map ? [...level.values()].flatMap(waitersOf) : [...level];
}

/** The next request, or how long until there is one. Its parties get their next turn after all others. */
function takeTurn(level: Level): Waiter | number {
	if (level instanceof Set) {
		const [oldest] = level;
		const isFirst = oldest?.goesFirst && [...level].find(({ goesFirst }) => goesFirst?.());
		return isFirst ?? oldest ?? Infinity;
	}
	let soonest = Infinity;
	for (const [party, within] of level) {
		const ms = party.msUntilNext();
		const next = ms > 0 ? ms : takeTurn(within);
		if (typeof next === 'number') {
			soonest = Math.min(soonest, next);
			continue;
		}
		level.delete(party);
		level.set(party, within);
		return next;
	}
	return soonest;
}
