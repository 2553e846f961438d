import type { BookEntry } from '../../../gateway';
import type { RequestIdentity } from './requestIdentity';

type Entries = Record<string, BookEntry>;

/** Where the entries of one run of a node are among those that its context has. */
export interface Places {
	/** The entries that this run may find. */
	readonly earlier: Array<[place: string, entry: BookEntry]>;
	/** Where the entry of a request is, or will be. */
	placeOf: (itemIndex: number, identity: RequestIdentity) => string;
	/** The run is over. */
	release: () => void;
}

/** The entries of an earlier try, by the form and by the request of their item. */
export function placesOfRun(entries: Entries): Places {
	const known = new Map<string, string>();
	const earlier = Object.entries(entries);
	for (const [place] of earlier) {
		const [item, form, request] = place.split(' ');
		known.set(`${item} ${request}`, place).set(`${item} ${form}`, place);
	}
	return {
		earlier,
		placeOf(itemIndex, { form, request }) {
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

/** The places of calls that are under way, by where they are stored: an agent may call a tool twice at the same moment. */
const placesTaken = new WeakMap<Entries, Set<string>>();

/**
 * The entries of a node that is a tool of an agent. n8n starts a new run for every call, even for a second try: paid work
 * that was not returned belongs to all runs, and each of several equal calls at once has its own entry.
 */
export function placesOfTool(entries: Entries): Places {
	const taken = placesTaken.get(entries) ?? new Set();
	placesTaken.set(entries, taken);
	const mine = new Set<string>();
	const untaken = () => Object.entries(entries).filter(([place]) => !taken.has(place));
	return {
		earlier: untaken(),
		placeOf(itemIndex, { request }) {
			const name = `${itemIndex} ${request()}`;
			let [place] = untaken().find(([known]) => known.startsWith(name)) ?? [];
			for (let number = 0; place === undefined; number += 1) {
				const next = `${name} ${number}`;
				if (!taken.has(next) && !(next in entries)) place = next;
			}
			mine.add(place);
			taken.add(place);
			return place;
		},
		release() {
			for (const place of mine) taken.delete(place);
			for (const [place] of untaken().slice(0, -MAX_KEPT)) delete entries[place];
		},
	};
}
