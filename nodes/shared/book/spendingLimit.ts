import type { IExecuteFunctions } from 'n8n-workflow';
import { GatewayError, mayBeBilled, type NodeCode } from '../../../gateway';
import { contextOf } from './book';
import { noteInExecution } from './customData';

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

/** What an item of this run would send. */
interface Planned {
	item: number;
	needed: number;
	max: number;
}

/** How a run relates to other runs of its node. */
interface RunKind {
	/** Whether a loop or an agent repeats the node. */
	isRepeated: boolean;
	/** Whether an earlier try of this run paid for something: then the items that do not fit fail one by one. */
	hasEarlierWork: boolean;
}

/** Counts the billable requests of one node in one execution, over all its runs, and refuses those beyond a limit. */
export class SpendingLimit {
	private readonly counted: Counted;
	/** How many of them are of this run. */
	private own = 0;
	private readonly planned: Planned[] = [];
	/** What all planned items need. */
	private total = 0;

	constructor(
		private readonly context: Context,
		private readonly kind: RunKind,
	) {
		this.counted = countedOf(context);
	}

	/** To be called for each item before anything is sent, so that a refusal tells what all items need. */
	plan(item: number, needed: number, max: number): void {
		this.planned.push({ item, needed, max });
		this.total += needed;
	}

	/**
	 * Once all items are planned: the first item that does not fit. With On Error "Stop Workflow" a batch is done as a whole or
	 * not at all. Requests of other runs in flight may still make room.
	 */
	refusal(): { item: number; error: GatewayError } | undefined {
		if (this.kind.hasEarlierWork || this.context.continueOnFail()) return undefined;
		if (requestsOf(this.counted).size > 0) return undefined;
		let { count } = this.counted;
		for (const request of this.planned) {
			count += request.needed;
			if (count <= request.max) continue;
			const error = this.limitReached(request, 'Nothing was sent in this try.');
			return { item: request.item, error };
		}
		return undefined;
	}

	/**
	 * Sends a request that counts as `needed`, if there is room for it or a request in flight makes room by being refused.
	 * @param made how much the service made of it
	 * @throws GatewayError, before anything is sent
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
			if (inFlight.size === 0)
				throw this.limitReached({ needed, max }, 'It was not sent in this try.');
			await Promise.race(inFlight);
		}
		// In the same step as the check: several requests may have waited for this room.
		const count = (change: number) => {
			counted.count += change;
			this.own += change;
		};
		count(needed);
		const sending = send();
		const end = (billable: number) => {
			count(billable - needed);
			inFlight.delete(settling);
			if (billable === 0) return;
			// The custom data counts all nodes of this package.
			const add = (known: string) => String(Number(known) + billable);
			noteInExecution(this.context, CUSTOM_DATA_KEY, add);
		};
		const settling = sending.then(
			(result) => end(Math.max(needed, made(result))),
			(error: unknown) => end(wasRefused(error) ? 0 : needed),
		);
		inFlight.add(settling);
		return await sending;
	}

	/** @param request the one that does not fit */
	private limitReached({ needed, max }: Omit<Planned, 'item'>, sent: string): GatewayError {
		const { counted, kind, own, planned, total } = this;
		// The calls of a chat model are not planned.
		const isPlanned = planned.length > 0;
		const made = isPlanned ? counted.count - own : counted.count;
		const more = isPlanned ? total : needed;
		const requests = (count: number) => `${count} billable ${count === 1 ? 'request' : 'requests'}`;
		const need =
			made === 0
				? `This execution needs ${requests(more)} with this node.`
				: `This execution made ${requests(made)} with this node and needs ${more} more.`;
		const advice = kind.isRepeated
			? 'Check whether a loop or an agent repeats the node, or increase Max Billable Requests in its options.'
			: `Increase Max Billable Requests in the options of the node, or ${needed > max ? 'ask for fewer videos' : 'send fewer items to it'}.`;
		const message =
			needed > max
				? `Max Billable Requests (${max}) is less than this one request counts (${needed})`
				: `Max Billable Requests (${max}) does not allow this request`;
		const code: NodeCode = 'spending_limit';
		return new GatewayError({ message, advice: `${need} ${sent} ${advice}`, code });
	}
}

/** Whether the service refused the request, or it was never sent. */
function wasRefused(error: unknown): boolean {
	return error instanceof GatewayError && !mayBeBilled(error.record);
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
