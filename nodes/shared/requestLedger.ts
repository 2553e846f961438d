import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sha256 } from '../../gateway';
import { runsAsTool } from './asTool';

/**
 * Runs of a node whose paid work is kept. Only the last one can be repeated; a run that needs no repetition is forgotten
 * at once, so this many are left only by a loop that fails again and again. What they hold may be large.
 */
const MOST_RUNS = 10;

/** The places of calls that are under way, by where they are stored: an agent may call a tool twice at the same moment. */
const placesTaken = new WeakMap<object, Set<string>>();

/**
 * What this node already paid for in this execution, so that a re-run never pays twice. It lies in the node's
 * context, which survives Retry On Fail and is saved with a failed execution, from which n8n's Retry reloads it.
 * An entry belongs to one run of the node, one item and one request: a changed request is asked anew. As a tool of an
 * agent a node gets a new run for every call, also for a second try: there what is paid for and was not handed on
 * belongs to all runs, and each of several calls for the same at once has a place of its own.
 */
export class RequestLedger<Entry extends IDataObject> {
	private readonly runs: Record<string, Record<string, Entry>>;
	private readonly run: string;
	private readonly isTool: boolean;
	/** Where this run keeps what it asked for. */
	private readonly places = new Map<RequestKey, string>();

	/** @param kind names the entries in the node's context */
	constructor(
		private readonly context: IExecuteFunctions,
		kind: string,
	) {
		const stored = context.getContext('node');
		stored[kind] ??= {};
		this.runs = stored[kind] as Record<string, Record<string, Entry>>;
		this.isTool = runsAsTool(context.getNode());
		this.run = this.isTool
			? 'all runs'
			: `run ${String(context.evaluateExpression('{{ $runIndex }}', 0))}`;
	}

	find(key: RequestKey): Entry | undefined {
		return this.runs[this.run]?.[this.placeOf(key)];
	}

	remember(key: RequestKey, entry: Entry): void {
		const run = (this.runs[this.run] ??= {});
		run[this.placeOf(key)] = entry;
		const [oldest, ...others] = Object.keys(this.runs);
		if (others.length >= MOST_RUNS && oldest !== undefined) delete this.runs[oldest];
	}

	/** The run is over: with these items, or with an error that it throws. */
	end(items: INodeExecutionData[] | undefined): void {
		if (items !== undefined && !this.mayBeRepeated(items)) this.forget();
		const taken = placesTaken.get(this.runs);
		for (const place of this.places.values()) taken?.delete(place);
	}

	/** With a "Continue" setting n8n repeats a run for its errors only where Retry On Fail is on. */
	private mayBeRepeated(items: INodeExecutionData[]): boolean {
		const isRetried = this.isTool || this.context.getNode().retryOnFail === true;
		return isRetried && items.some(({ json }) => 'error' in json);
	}

	private forget(): void {
		const run = this.runs[this.run] ?? {};
		for (const place of this.places.values()) delete run[place];
		if (Object.keys(run).length === 0) delete this.runs[this.run];
	}

	private placeOf(key: RequestKey): string {
		const known = this.places.get(key);
		if (known !== undefined) return known;
		const place = this.isTool ? this.takePlace(key) : key;
		this.places.set(key, place);
		return place;
	}

	/** A place that no other call has taken: where something is kept that was paid for, or else a new one. */
	private takePlace(key: RequestKey): string {
		const taken = placesTaken.get(this.runs) ?? new Set();
		placesTaken.set(this.runs, taken);
		const stored = this.runs[this.run] ?? {};
		const count = taken.size + Object.keys(stored).length + 1;
		const places = Array.from({ length: count }, (_, number) => `${key} ${number}`);
		const free = places.filter((place) => !taken.has(place));
		const place = free.find((name) => name in stored) ?? free[0] ?? key;
		taken.add(place);
		return place;
	}
}

export type RequestKey = `${number} ${string}`;

/** What one item asks for: long requests would otherwise be stored once more in the execution's data. */
export function requestKey(itemIndex: number, request: object): RequestKey {
	return `${itemIndex} ${sha256(JSON.stringify(request))}`;
}
