import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { hintAboutFailures } from '../output/hints';
import { errorItem, nodeError } from './errorText';

/** An item of the output, or the error in its place. */
export type Settled = { result: INodeExecutionData } | { error: unknown };

/** What became of the items of a node that keeps no book of them: each becomes some items, or fails. */
export class Outcomes {
	readonly ofItems: Settled[][] = [];

	done(item: number, results: INodeExecutionData[]): void {
		this.ofItems[item] = results.map((result) => ({ result }));
	}

	fail(item: number, error: unknown): void {
		this.ofItems[item] = [{ error }];
	}

	hasFailed(item: number): boolean {
		return this.ofItems[item]?.some((one) => 'error' in one) ?? false;
	}
}

/**
 * The output of a node.
 * @param results of each item. With On Error "Stop Workflow" the first failure is thrown, with a "Continue" setting each
 * failure becomes an error item.
 */
export function outputOf(context: IExecuteFunctions, results: Settled[][]): INodeExecutionData[] {
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
