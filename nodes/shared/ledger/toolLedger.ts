import type { INodeExecutionData } from 'n8n-workflow';
import type { RequestIdentity } from './requestIdentity';

/** Failed calls whose paid work is kept until an agent repeats them. They may be large. */
const MAX_KEPT = 50;

const ALL_RUNS = 'all runs';

/** The places of calls that are under way, by where they are stored: an agent may call a tool twice at the same moment. */
const placesTaken = new WeakMap<object, Set<string>>();

/** The work that no call under way has taken. */
export function workOfTools<Work>(
	runs: Record<string, Record<string, Work>>,
): Record<string, Work> {
	const work = runs[ALL_RUNS] ?? {};
	const taken = placesTaken.get(work);
	return Object.fromEntries(Object.entries(work).filter(([place]) => !taken?.has(place)));
}

/**
 * The paid work of a node that is a tool of an agent. n8n starts a new run for every call, even for a second try: paid
 * work that was not returned belongs to all runs, and each of several equal calls at once has its own entry.
 */
export class ToolLedger<Work> {
	private readonly work: Record<string, Work>;
	private readonly taken: Set<string>;
	/** Where this call keeps what it asked for. */
	private readonly places = new Set<string>();

	constructor(runs: Record<string, Record<string, Work>>) {
		this.work = runs[ALL_RUNS] ??= {};
		this.taken = placesTaken.get(this.work) ?? new Set();
		placesTaken.set(this.work, this.taken);
	}

	/** A place that no other call has taken: one with paid work, or else a new one. */
	placeOf(itemIndex: number, { request }: RequestIdentity): string {
		const name = `${itemIndex} ${request()}`;
		const kept = Object.keys(this.work).find(
			(known) => known.startsWith(name) && !this.taken.has(known),
		);
		const place = kept ?? this.newPlace(name);
		this.places.add(place);
		this.taken.add(place);
		return place;
	}

	private newPlace(name: string): string {
		let number = 0;
		while (this.taken.has(`${name} ${number}`) || `${name} ${number}` in this.work) number += 1;
		return `${name} ${number}`;
	}

	read(place: string): Work | undefined {
		return this.work[place];
	}

	write(place: string, work: Work): void {
		this.work[place] = work;
	}

	/** A call that failed may be repeated: by Retry On Fail, or by the agent. */
	end(items: INodeExecutionData[] | undefined): void {
		const isDone = items !== undefined && !items.some(({ json }) => json.error !== undefined);
		for (const place of this.places) {
			this.taken.delete(place);
			if (isDone) delete this.work[place];
		}
		const left = Object.keys(this.work).filter((place) => !this.taken.has(place));
		for (const place of left.slice(0, -MAX_KEPT)) delete this.work[place];
	}
}
