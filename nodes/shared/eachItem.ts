import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { CancelledError } from '../../gateway';
import { connect, type Service } from './connect';
import { errorItem, nodeError } from './errorText';

/** A result that comes later, without holding a place among the items under way. */
export interface Pending<Result = INodeExecutionData[]> {
	pending: Promise<Result>;
}

/** What a node does with each item. */
export interface ItemWork<Prepared, Result = INodeExecutionData[]> {
	/** Reads and checks the parameters of one item, before any request of any item is sent. */
	prepare: (itemIndex: number) => Prepared;
	/** Does the work of one item. */
	run: (prepared: Prepared, itemIndex: number) => Promise<Result | Pending<Result>>;
}

/** What became of an item; undefined where it was not begun. */
export type Outcome<Result> = { result: Result } | { error: unknown } | undefined;

/**
 * Runs a node's work for all its items: bad input first, before anything is paid for; then at most
 * `maxConcurrency` items at once; the output in input order whatever finishes first.
 *
 * On Error "Stop Workflow": after the first failure no further item starts, those in flight are finished, since
 * they are paid for, and the failure of the first failed item is thrown. With a "Continue" setting a failed
 * item becomes an error item. A cancel ends everything at once.
 */
export async function eachItem<Prepared>(
	context: IExecuteFunctions,
	begin: (service: Service) => ItemWork<Prepared>,
): Promise<INodeExecutionData[]> {
	return outputOf(context, await outcomesOf(context, begin));
}

/** The first half of {@link eachItem}: does the work. */
export async function outcomesOf<Prepared, Result extends object>(
	context: IExecuteFunctions,
	begin: (service: Service) => ItemWork<Prepared, Result>,
): Promise<Array<Outcome<Result>>> {
	const count = context.getInputData().length;
	const outcomes = new Array<Outcome<Result>>(count).fill(undefined);
	const continues = context.continueOnFail();
	// After a cancel, Retry On Fail still calls execute again.
	throwIfCancelled(context);
	if (count === 0) return [];

	const service = await connect(context).catch((error: unknown) => ({ error }));
	if ('error' in service) {
		if (!continues) throw thrownFor(context, service.error, 0);
		return outcomes.fill(service);
	}

	const { prepare, run } = begin(service);
	const prepared = Array.from(
		{ length: count },
		(_, itemIndex): { value: Prepared } | undefined => {
			try {
				return { value: prepare(itemIndex) };
			} catch (error) {
				if (!continues) throw thrownFor(context, error, itemIndex);
				outcomes[itemIndex] = { error };
				return undefined;
			}
		},
	);

	let stopped = false;
	const pending: Array<Promise<void>> = [];
	const keep = async (itemIndex: number, work: Promise<Result | Pending<Result>>) => {
		try {
			const result = await work;
			if ('pending' in result) pending.push(keep(itemIndex, result.pending));
			else outcomes[itemIndex] = { result };
		} catch (error) {
			outcomes[itemIndex] = { error };
			stopped ||= !continues || error instanceof CancelledError;
		}
	};
	let next = 0;
	const worker = async () => {
		while (next < count && !stopped) {
			const itemIndex = next++;
			const input = prepared[itemIndex];
			prepared[itemIndex] = undefined;
			if (input !== undefined) await keep(itemIndex, run(input.value, itemIndex));
		}
	};
	await Promise.all(Array.from({ length: Math.min(service.maxConcurrency, count) }, worker));
	await Promise.all(pending);
	throwIfCancelled(context);
	return outcomes;
}

/** The second half of {@link eachItem}: what became of the items, as On Error has it. */
export function outputOf(
	context: IExecuteFunctions,
	outcomes: Array<Outcome<INodeExecutionData[]>>,
): INodeExecutionData[] {
	const continues = context.continueOnFail();
	return outcomes.flatMap((outcome, itemIndex) => {
		if (outcome === undefined) return [];
		if ('result' in outcome) return outcome.result;
		if (!continues) throw thrownFor(context, outcome.error, itemIndex);
		return [errorItem(outcome.error, itemIndex)];
	});
}

export function throwIfCancelled(context: IExecuteFunctions): void {
	if (context.getExecutionCancelSignal()?.aborted) {
		throw thrownFor(context, new CancelledError(), 0);
	}
}

function thrownFor(context: IExecuteFunctions, error: unknown, itemIndex: number) {
	return nodeError(context.getNode(), error, itemIndex, context.isStreaming?.() ?? false);
}
