import type { IExecuteFunctions } from 'n8n-workflow';
import { GatewayError } from '../../../gateway';
import { SpendingLimitError } from '../run/errorText';
import { contextOf, noteInExecution } from './book';

/** The field of the execution's context that has, by node and execution, the billable requests. */
const FIELD = 'generationServiceBillableRequests';

/** In the execution's custom data. */
const CUSTOM_DATA_KEY = 'billable_requests';

/** Kept with the execution: it survives Retry On Fail, loops and pauses. */
interface Counted {
	/** Requests that were accepted, may have been accepted, or are in flight. */
	count: number;
}

/** Requests whose outcome is not known yet. Only in this process: elsewhere they count as accepted. */
const inFlightOf = new WeakMap<object, Set<Promise<void>>>();

type Context = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'continueOnFail'> &
	Partial<Pick<IExecuteFunctions, 'getContext' | 'customData'>>;

/** Counts the billable requests of one node in one execution, over all its runs, and refuses those beyond a limit. */
export class SpendingLimit {
	private readonly counted: Counted;
	/** How many billable requests the items of this run need. */
	private planned = 0;

	constructor(private readonly context: Context) {
		this.counted = countedOf(context);
	}

	/**
	 * To be called for each item before anything is sent: with On Error "Stop Workflow" a batch is done as a whole or not
	 * at all. Requests of other runs in flight may still make room.
	 * @throws SpendingLimitError
	 */
	plan(needed: number, max: number): void {
		if (max === Infinity || this.context.continueOnFail()) return;
		if (requestsOf(this.counted).size > 0) return;
		this.planned += needed;
		const { count } = this.counted;
		if (count + this.planned > max) throw limitReached(max, count, this.planned, needed);
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
		const { counted } = this;
		const inFlight = requestsOf(counted);
		while (counted.count + needed > max) {
			if (inFlight.size === 0) throw limitReached(max, counted.count, needed);
			await Promise.race(inFlight);
		}
		// In the same step as the check: several requests may have waited for this room.
		counted.count += needed;
		const sending = send();
		const end = (billable: number) => {
			counted.count += billable - needed;
			inFlight.delete(settling);
			if (billable === 0) return;
			// The custom data counts all nodes of this package.
			const count = (known: string) => String(Number(known) + billable);
			noteInExecution(this.context, CUSTOM_DATA_KEY, count);
		};
		const settling = sending.then(
			(result) => end(Math.max(needed, made(result))),
			(error: unknown) => end(wasRefused(error) ? 0 : needed),
		);
		inFlight.add(settling);
		return await sending;
	}
}

/**
 * @param made how many billable requests the execution has sent
 * @param needed how many it would send next
 * @param ofItem how many of them are one request
 */
function limitReached(max: number, made: number, needed: number, ofItem = needed) {
	if (ofItem > max)
		return new SpendingLimitError(
			`Max Billable Requests (${max}) is less than this one request counts (${ofItem})`,
			'Nothing was sent in this try. Increase Max Billable Requests in the options of the node, or ask for fewer videos.',
		);
	return new SpendingLimitError(
		`Max Billable Requests (${max}) does not allow this request`,
		`This execution made ${made} billable ${made === 1 ? 'request' : 'requests'} with this node and needs ${needed} more. Nothing was sent in this try. Check whether a loop or an agent repeats the node, or increase Max Billable Requests in its options.`,
	);
}

/** Whether the service refused the request, or it was never sent. */
function wasRefused(error: unknown): boolean {
	return error instanceof GatewayError && !error.mayBeBilled;
}

function requestsOf(counted: object): Set<Promise<void>> {
	const inFlight = inFlightOf.get(counted) ?? new Set();
	inFlightOf.set(counted, inFlight);
	return inFlight;
}

/** n8n's Retry of a failed execution is another execution, with its own limit. */
function countedOf(context: Context): Counted {
	const key = `${context.getNode().name}, ${(context.getExecutionId?.() as string | undefined) ?? ''}`;
	const stored = (contextOf(context, 'flow')[FIELD] ??= {}) as Record<string, Counted>;
	return (stored[key] ??= { count: 0 });
}
