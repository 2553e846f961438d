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
	/** How many of the counted requests are of this run. */
	private sentHere = 0;

	constructor(private readonly context: LimitContext) {
		// n8n's Retry of a failed execution is another execution, with its own limit.
		const execution = (context.getExecutionId?.() as string | undefined) ?? '';
		const stored = (contextOf(context, 'flow')[COUNTS_FIELD] ??= {}) as Record<string, Counted>;
		this.counted = stored[`${context.getNode().name}, ${execution}`] ??= { count: 0 };
	}

	/** To be called for each item before anything is sent, so that a refusal tells what all items need. */
	plan(item: number, needed: number, max: number): void {
		this.planned.push({ item, needed, max });
	}

	/**
	 * Once all items are planned: the first item that does not fit, where On Error is "Stop Workflow".
	 * @param earlier the failure of what an earlier try may have been billed for
	 */
	refusal(earlier?: ErrorRecord): { item: number; error: GatewayError } | undefined {
		if (this.context.continueOnFail()) return undefined;
		let { count } = this.counted;
		const request = this.planned.find(({ needed, max }) => (count += needed) > max);
		if (request === undefined) return undefined;
		const { record } = this.limitReached(request, 'Nothing was sent in this try.');
		return { item: request.item, error: new GatewayError(afterEarlierTry(record, earlier)) };
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
		if (this.counted.count + needed > max)
			throw this.limitReached({ needed, max }, 'It was not sent in this try.');
		// In the same step as the check: an agent calls a tool several times at once.
		this.count(needed);
		let billable = needed;
		try {
			const result = await send();
			billable = Math.max(needed, made(result));
			return result;
		} catch (error) {
			if (error instanceof GatewayError && !mayBeBilled(error.record)) billable = 0;
			return await Promise.reject(error);
		} finally {
			this.count(billable - needed);
			// The custom data counts all nodes of this package.
			if (billable > 0)
				noteInExecution(this.context, CUSTOM_DATA_KEY, (count) => String(Number(count) + billable));
		}
	}

	private count(change: number): void {
		this.counted.count += change;
		this.sentHere += change;
	}

	/** @param request the one that does not fit */
	private limitReached({ needed, max }: Omit<PlannedRequest, 'item'>, sent: string): GatewayError {
		const { counted, planned } = this;
		// The calls of a chat model are not planned.
		const before = planned.length > 0 ? counted.count - this.sentHere : counted.count;
		const more = planned.reduce((sum, request) => sum + request.needed, 0) || needed;
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
		return new GatewayError({ message, advice, code: 'spending_limit' satisfies NodeCode });
	}
}
