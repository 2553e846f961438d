import type { BookEntry } from '../../../gateway';
import type { RequestIdentity } from './requestIdentity';

type Entries = Record<string, BookEntry>;

/** Where the entries of one run of a node are among those that its context has. */
export interface EntryKeys {
	/** The entries that this run may find. */
	readonly earlier: Array<[key: string, entry: BookEntry]>;
	/** Where the entry of a request is, or will be. */
	keyOf: (itemIndex: number, identity: RequestIdentity) => string;
	/** The run is over. */
	release: () => void;
}

/** The entries of an earlier try, by the form and by the request of their item. */
export function keysOfRun(entries: Entries): EntryKeys {
	const known = new Map<string, string>();
	const earlier = Object.entries(entries);
	for (const [key] of earlier) {
		const [item, form, request] = key.split(' ');
		known.set(`${item} ${request}`, key).set(`${item} ${form}`, key);
	}
	return {
		earlier,
		keyOf(itemIndex, { form, request }) {
			const sameForm = known.get(`${itemIndex} ${form}`);
			if (sameForm !== undefined) return sameForm;
			const fingerprint = request();
			return known.get(`${itemIndex} ${fingerprint}`) ?? `${itemIndex} ${form} ${fingerprint}`;
		},
		release: () => {},
	};
}

/** Failed calls whose paid work is kept until an agent repeats them. They may be large. */
const MAX_KEPT = 50;

/** The keys of calls that are under way, by where they are stored: an agent may call a tool twice at the same moment. */
const keysTaken = new WeakMap<Entries, Set<string>>();

/**
 * The entries of a node that is a tool of an agent. n8n starts a new run for every call, even for a second try: paid work
 * that was not returned belongs to all runs, and each of several equal calls at once has its own entry.
 */
export function keysOfTool(entries: Entries): EntryKeys {
	const taken = keysTaken.get(entries) ?? new Set();
	keysTaken.set(entries, taken);
	const mine = new Set<string>();
	const untaken = () => Object.entries(entries).filter(([key]) => !taken.has(key));
	return {
		earlier: untaken(),
		keyOf(itemIndex, { request }) {
			const name = `${itemIndex} ${request()}`;
			let [key] = untaken().find(([known]) => known.startsWith(name)) ?? [];
			for (let number = 0; key === undefined; number += 1) {
				const next = `${name} ${number}`;
				if (!taken.has(next) && !(next in entries)) key = next;
			}
			mine.add(key);
			taken.add(key);
			return key;
		},
		release() {
			for (const key of mine) taken.delete(key);
			for (const [key] of untaken().slice(0, -MAX_KEPT)) delete entries[key];
		},
	};
}
