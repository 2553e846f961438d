import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError, SpendingLimitError } from '../../../gateway';
import { contextOf, noteInExecution } from './book';

/** The field of the execution's context; below it, the billable requests of each node by its name. */
const FIELD = 'generationServiceBillableRequests';

/** In the execution's custom data. */
const CUSTOM_DATA_KEY = 'billable_requests';

/** How many billable requests a node sent in one execution. Kept with the execution: it survives Retry On Fail, loops and pauses. */
interface Counted extends IDataObject {
	/** n8n's Retry of a failed execution is another execution, with its own limit. */
	execution: string | null;
	/** Requests that were accepted, may have been accepted, or are in flight. */
	count: number;
}

/** Requests whose outcome is not known yet. Only in this process: elsewhere they count as accepted. */
const inFlightOf = new WeakMap<Counted, Set<Promise<void>>>();

type Context = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'continueOnFail'> &
	Partial<Pick<IExecuteFunctions, 'getContext'>>;

/** Counts the billable requests of one node in one execution, over all its runs, and refuses those beyond a limit. */
export class SpendingLimit {
	/** Undefined until an item has a limit: nothing is stored without one. */
	private known: Counted | undefined;
	/** What the items of this run need. */
	private planned = 0;

	constructor(private readonly context: Context) {}

	private get counted(): Counted {
		return (this.known ??= countedOf(this.context));
	}

	private get inFlight(): Set<Promise<void>> {
		const inFlight = inFlightOf.get(this.counted) ?? new Set();
		inFlightOf.set(this.counted, inFlight);
		return inFlight;
	}

	/**
	 * To be called for each item before anything is sent: with On Error "Stop Workflow" a batch is done as a whole or not
	 * at all. What is in flight elsewhere may still make room.
	 * @throws SpendingLimitError
	 */
	plan(needed: number, max: number): void {
		if (max === Infinity || needed === 0 || this.context.continueOnFail()) return;
		if (this.inFlight.size > 0) return;
		this.planned += needed;
		const { count } = this.counted;
		if (count + this.planned > max) throw new SpendingLimitError(max, count, this.planned, needed);
	}

	/**
	 * Sends a request that counts as `needed`, if there is room for it or a request in flight makes room by being refused.
	 * @param made how much the service made of it
	 * @throws SpendingLimitError, before anything is sent
	 */
	async spend<Result>(
		needed: number,
		max: number,
		send: () => Promise<Result>,
		made: (result: Result) => number = () => needed,
	): Promise<Result> {
		const limit = max === Infinity ? undefined : this;
		while (limit && limit.counted.count + needed > max) {
			if (limit.inFlight.size === 0) throw new SpendingLimitError(max, limit.counted.count, needed);
			await Promise.race(limit.inFlight);
		}
		// In the same step as the check: several requests may have waited for this room.
		if (limit) limit.counted.count += needed;
		const sending = send();
		const end = (billable: number) => {
			if (limit) limit.counted.count += billable - needed;
			limit?.inFlight.delete(settling);
			noteBillable(this.context, billable);
		};
		const settling = sending.then(
			(result) => end(Math.max(needed, made(result))),
			(error: unknown) => end(wasRefused(error) ? 0 : needed),
		);
		limit?.inFlight.add(settling);
		return await sending;
	}
}

/** Refused by the service, or never sent. */
function wasRefused(error: unknown): boolean {
	return error instanceof GatewayError && !error.mayBeBilled;
}

function countedOf(context: Context): Counted {
	const execution = (context.getExecutionId?.() as string | undefined) ?? null;
	const byNode = (contextOf(context, 'flow')[FIELD] ??= {}) as Record<string, Counted>;
	const { name } = context.getNode();
	const known = byNode[name];
	if (known?.execution === execution) return known;
	return (byNode[name] = { execution, count: 0 });
}

/** Counts the billable requests of an execution, by all nodes of this package. */
function noteBillable(context: object, count: number): void {
	if (count > 0)
		noteInExecution(context, CUSTOM_DATA_KEY, (known) => String(Number(known) + count));
}
