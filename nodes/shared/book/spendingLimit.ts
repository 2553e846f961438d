import type { IExecuteFunctions } from 'n8n-workflow';
import { type ErrorRecord, GatewayError, mayBeBilled, type NodeCode } from '../../../gateway';
import { afterEarlierTry } from '../run/errorText';
import { contextOf } from './book';
import { noteInExecution } from './customData';

/** The field of the execution's context that has, by node and execution, the billable requests. */
const COUNTS_FIELD = 'generationServiceBillableRequests';

/** In the execution's custom data. */
const CUSTOM_DATA_KEY = 'billable_requests';

/** Kept with the execution: it survives Retry On Fail, loops and pauses. */
interface Counted {
	/** Requests that were accepted, may have been accepted, or are in flight. */
	count: number;
}

type LimitContext = Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'continueOnFail'> &
	Partial<Pick<IExecuteFunctions, 'getContext' | 'customData'>>;

/** What an item of this run would send. */
interface PlannedRequest {
	item: number;
	needed: number;
	max: number;
}

/** Counts the billable requests of one node in one execution, over all its runs, and refuses those beyond a limit. */
export class SpendingLimit {
	private readonly counted: Counted;
	private readonly planned: PlannedRequest[] = [];
	/** What all planned items need. */
	private total = 0;
	/** How many of the counted requests are of this run. */
	private sentHere = 0;

	constructor(private readonly context: LimitContext) {
		this.counted = countedOf(context);
	}

	/** To be called for each item before anything is sent, so that a refusal tells what all items need. */
	plan(item: number, needed: number, max: number): void {
		this.planned.push({ item, needed, max });
		this.total += needed;
	}

	/**
	 * Once all items are planned: the first item that does not fit, where On Error is "Stop Workflow".
	 * @param earlier the failure of what an earlier try may have been billed for
	 */
	refusal(earlier?: ErrorRecord): { item: number; error: GatewayError } | undefined {
		if (this.context.continueOnFail()) return undefined;
		let { count } = this.counted;
		for (const request of this.planned) {
			count += request.needed;
			if (count <= request.max) continue;
			const { record } = this.limitReached(request, 'Nothing was sent in this try.');
			return { item: request.item, error: new GatewayError(afterEarlierTry(record, earlier)) };
		}
		return undefined;
	}

	/**
	 * Sends a request that counts as `needed`, if there is room for it.
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
		if (counted.count + needed > max)
			throw this.limitReached({ needed, max }, 'It was not sent in this try.');
		// In the same step as the check: an agent calls a tool several times at once.
		this.count(needed);
		try {
			const result = await send();
			this.settle(needed, Math.max(needed, made(result)));
			return result;
		} catch (error) {
			this.settle(needed, wasRefused(error) ? 0 : needed);
			return await Promise.reject(error);
		}
	}

	private count(change: number): void {
		this.counted.count += change;
		this.sentHere += change;
	}

	/** The outcome of a request is known. */
	private settle(needed: number, billable: number): void {
		this.count(billable - needed);
		if (billable === 0) return;
		// The custom data counts all nodes of this package.
		noteInExecution(this.context, CUSTOM_DATA_KEY, (count) => String(Number(count) + billable));
	}

	/** @param request the one that does not fit */
	private limitReached({ needed, max }: Omit<PlannedRequest, 'item'>, sent: string): GatewayError {
		const { counted, planned, sentHere, total } = this;
		// The calls of a chat model are not planned.
		const [before, more] =
			planned.length > 0 ? [counted.count - sentHere, total] : [counted.count, needed];
		const requests = (count: number) => `${count} billable ${count === 1 ? 'request' : 'requests'}`;
		const need =
			before === 0
				? `This execution needs ${requests(more)} with this node.`
				: `This execution made ${requests(before)} with this node and needs ${more} more.`;
		const message =
			needed > max
				? `Max Billable Requests (${max}) is less than this one request counts (${needed})`
				: `Max Billable Requests (${max}) does not allow this request`;
		const advice = `${need} ${sent} Increase Max Billable Requests in the options of the node if you want to pay for more.`;
		const code: NodeCode = 'spending_limit';
		return new GatewayError({ message, advice, code });
	}
}

/** Whether the service refused the request, or it was never sent. */
function wasRefused(error: unknown): boolean {
	return error instanceof GatewayError && !mayBeBilled(error.record);
}

/** n8n's Retry of a failed execution is another execution, with its own limit. */
function countedOf(context: LimitContext): Counted {
	const key = `${context.getNode().name}, ${(context.getExecutionId?.() as string | undefined) ?? ''}`;
	const stored = (contextOf(context, 'flow')[COUNTS_FIELD] ??= {}) as Record<string, Counted>;
	return (stored[key] ??= { count: 0 });
}
