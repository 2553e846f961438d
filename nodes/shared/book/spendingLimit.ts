import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError, SpendingLimitError } from '../../../gateway';
import { contextOf } from './book';

/** The field of the execution's context; below it, the billable requests of each node by its name. */
const FIELD = 'generationServiceBillableRequests';

/** One of the ten keys that an execution has; most are the user's. */
const CUSTOM_DATA_KEY = 'billable_requests';

/** How many billable requests a node sent in one execution. Kept with the execution: it survives Retry On Fail, loops and pauses. */
interface Counted extends IDataObject {
	/** n8n's Retry of a failed execution is another execution, with its own limit. */
	execution: string | null;
	/** Requests that were accepted, may have been accepted, or are in flight. */
	count: number;
}

/** Requests whose outcome is not known yet. Only in this process: elsewhere they count as accepted. */
interface InFlight {
	count: number;
	settling: Set<Promise<void>>;
}

const inFlightOf = new WeakMap<Counted, InFlight>();

type Context = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'continueOnFail'> &
	Partial<Pick<IExecuteFunctions, 'getContext' | 'customData'>>;

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

	private get inFlight(): InFlight {
		const inFlight = inFlightOf.get(this.counted) ?? { count: 0, settling: new Set() };
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
		this.planned += needed;
		const accepted = this.counted.count - this.inFlight.count;
		if (accepted + this.planned > max)
			throw new SpendingLimitError(max, accepted, this.planned, needed);
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
		const settle = max === Infinity ? () => {} : await this.reserve(needed, max);
		const sending = send();
		const end = (billable: number) => {
			settle(billable);
			noteBillable(this.context, billable);
		};
		void sending.then(
			(result) => end(Math.max(needed, made(result))),
			(error: unknown) => end(wasRefused(error) ? 0 : needed),
		);
		return await sending;
	}

	/** @returns ends the reservation, with what is billable of it */
	private async reserve(needed: number, max: number): Promise<(billable: number) => void> {
		const { counted, inFlight } = this;
		while (counted.count + needed > max) {
			const accepted = counted.count - inFlight.count;
			if (accepted + needed > max) throw new SpendingLimitError(max, accepted, needed);
			await Promise.race(inFlight.settling);
		}
		// In the same step as the check: several requests may have waited for this room.
		counted.count += needed;
		inFlight.count += needed;
		let wake = () => {};
		const settling = new Promise<void>((resolve) => (wake = resolve));
		inFlight.settling.add(settling);
		return (billable) => {
			counted.count += billable - needed;
			inFlight.count -= needed;
			inFlight.settling.delete(settling);
			wake();
		};
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

/**
 * Counts the billable requests of an execution, by all nodes of this package, in its custom data: n8n keeps it with every
 * execution, also with one that was stopped, and its API returns it.
 */
function noteBillable(
	context: Partial<Pick<IExecuteFunctions, 'customData'>>,
	count: number,
): void {
	if (count === 0) return;
	try {
		// Older versions of n8n have none.
		const { customData } = context;
		const known = Number(customData?.get(CUSTOM_DATA_KEY) ?? 0);
		customData?.set(CUSTOM_DATA_KEY, String(known + count));
	} catch {
		// The tools of an MCP Server Trigger have no execution.
	}
}
