import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { CancelledError } from '../../gateway';
import { connect, type Service } from './connect';
import { errorItem, nodeError } from './errorText';

/** Items that come later, without holding a place among the items under way. */
export interface Pending {
	pending: Promise<INodeExecutionData[]>;
}

/** What a node does with each item. */
export interface ItemWork<Prepared> {
	/** Reads and checks the parameters of one item, before any request of any item is sent. */
	prepare: (itemIndex: number) => Prepared;
	/** Does the work of one item. */
	run: (prepared: Prepared, itemIndex: number) => Promise<INodeExecutionData[] | Pending>;
}

interface Failed {
	error: unknown;
}

/**
 * Runs a node's work for all its items: bad input first, before anything is paid for; then at most
 * `maxConcurrency` items at once; the output in input order whatever finishes first.
 *
 * On Error "Stop Workflow": the first failure begins no further item, those under way are seen through, since
 * they are paid for, and the failure of the first failed item is thrown. With a "Continue" setting a failed
 * item becomes an error item. A cancel ends everything at once.
 */
export async function eachItem<Prepared>(
	context: IExecuteFunctions,
	begin: (service: Service) => ItemWork<Prepared>,
): Promise<INodeExecutionData[]> {
	const count = context.getInputData().length;
	const outputs = new Array<INodeExecutionData[] | Failed | undefined>(count);
	const continues = context.continueOnFail();
	const streams = context.isStreaming?.() ?? false;
	const asThrown = (error: unknown, itemIndex: number) =>
		nodeError(context.getNode(), error, itemIndex, streams);
	const signal = context.getExecutionCancelSignal();
	const throwIfCancelled = () => {
		if (signal?.aborted) throw asThrown(new CancelledError(), 0);
	};
	// After a cancel, Retry On Fail still calls execute again.
	throwIfCancelled();
	if (count === 0) return [];

	const service = await connect(context).catch((error: unknown): Failed => ({ error }));
	if ('error' in service) {
		if (!continues) throw asThrown(service.error, 0);
		return outputs.fill(service).flatMap((_, itemIndex) => [errorItem(service.error, itemIndex)]);
	}

	const { prepare, run } = begin(service);
	const prepared = Array.from(
		{ length: count },
		(_, itemIndex): { value: Prepared } | undefined => {
			try {
				return { value: prepare(itemIndex) };
			} catch (error) {
				if (!continues) throw asThrown(error, itemIndex);
				outputs[itemIndex] = { error };
				return undefined;
			}
		},
	);

	let stopped = false;
	const pending: Array<Promise<void>> = [];
	const keep = async (itemIndex: number, work: Promise<INodeExecutionData[] | Pending>) => {
		try {
			const result = await work;
			if (Array.isArray(result)) outputs[itemIndex] = result;
			else pending.push(keep(itemIndex, result.pending));
		} catch (error) {
			outputs[itemIndex] = { error };
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
	throwIfCancelled();

	return outputs.flatMap((output, itemIndex) => {
		if (output === undefined) return [];
		if (Array.isArray(output)) return output;
		if (!continues) throw asThrown(output.error, itemIndex);
		return [errorItem(output.error, itemIndex)];
	});
}
