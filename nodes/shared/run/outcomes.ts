import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { hintAboutFailures } from '../output/hints';
import { errorItem, nodeError } from './errorText';

/** A result that comes later, while its item no longer counts as in flight. */
export interface Pending<Result> {
	pending: Promise<Result>;
}

/** What became of work that was started. */
export type Settled<Result> = { result: Result } | { error: unknown };

/** What became of an item; undefined where it was not started. */
export type Outcome<Result> = Settled<Result> | undefined;

/** The error of each item. */
export type ErrorOf = (item: number) => unknown;

/** The output of a node whose items each become some items, or fail. */
export function itemsOf(
	context: IExecuteFunctions,
	outcomes: Array<Outcome<INodeExecutionData[]>>,
): INodeExecutionData[] {
	const results = outcomes.map((outcome) => {
		if (outcome === undefined) return [];
		return 'error' in outcome ? [outcome] : outcome.result.map((result) => ({ result }));
	});
	return outputOf(context, results);
}

/**
 * The output of a node.
 * @param results of each item. With On Error "Stop Workflow" the first failure is thrown, with a "Continue" setting each
 * failure becomes an error item.
 */
export function outputOf(
	context: IExecuteFunctions,
	results: Array<Array<Settled<INodeExecutionData>>>,
): INodeExecutionData[] {
	const continues = context.continueOnFail();
	const items = results.flatMap((ofItem, itemIndex) =>
		ofItem.map((one) => {
			if ('result' in one) return one.result;
			if (!continues) throw nodeError(context, one.error, itemIndex);
			return errorItem(context, one.error, itemIndex);
		}),
	);
	if (continues) hintAboutFailures(context, items);
	return items;
}

/** The output of a node whose items all fail. */
export function failAll(context: IExecuteFunctions, errorOf: ErrorOf): INodeExecutionData[] {
	const inputs = context.getInputData();
	return outputOf(
		context,
		inputs.map((_, item) => [{ error: errorOf(item) }]),
	);
}
