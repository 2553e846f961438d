import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	NodeError,
} from 'n8n-workflow';
import { GatewayError, isOwn } from '../../../gateway';
import type { Service } from '../run/connect';
import { runsAsTool } from '../run/runsAsTool';
import { isStopped } from '../run/cancel';
import { type ErrorOf, failAll, withService } from '../run/eachItem';
import { nodeError } from '../run/errorText';
import type { PaidBook } from './book';
import { SpendingLimit } from './spendingLimit';

/** What a run of a node that sends billable requests works with. */
export interface PaidRun {
	service: Service;
	book: PaidBook;
	spending: SpendingLimit;
}

/**
 * Runs a node that sends billable requests, as {@link withService} does, with the book of what its earlier tries paid for.
 * A run that throws, or asks n8n to be run again, keeps the book.
 * @param fail makes the output of a node that cannot go on. Default: all items fail.
 */
export async function withBook<Output extends INodeExecutionData[] | EngineRequest>(
	context: IExecuteFunctions,
	properties: INodeProperties[],
	book: PaidBook,
	work: (run: PaidRun) => Promise<Output>,
	fail = (errorOf: ErrorOf): INodeExecutionData[] => failAll(context, errorOf),
): Promise<Output | INodeExecutionData[]> {
	for (const { item, earlier } of isStopped(context) ? book.entries : []) {
		// Of the tries that Retry On Fail makes after a Stop, only the error of the last one is shown.
		if (earlier && isOwn(earlier, 'cancelled'))
			throw nodeError(context, new GatewayError(earlier), item);
	}
	const paid = async (service: Service) => {
		const spending = new SpendingLimit(context, {
			isRepeated: book.run > 0 || runsAsTool(context.getNode()),
			hasEarlierWork: book.hasEarlierWork,
		});
		const output = await work({ service, book, spending }).catch((error: unknown) => {
			// Otherwise n8n would hand on the input of a node that continues on an error.
			if (!(error instanceof NodeError)) return fail(() => error);
			book.end(undefined);
			throw error;
		});
		if (Array.isArray(output)) book.end(output);
		return output;
	};
	// Where the node cannot connect, the book stays: the next try names the same tasks.
	return await withService(context, properties, paid, fail);
}
