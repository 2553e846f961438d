import type { IExecuteFunctions } from 'n8n-workflow';
import { GatewayError, isOwn } from '../../../gateway';
import { isStopped } from '../run/cancel';
import type { Service } from '../run/connect';
import { nodeError } from '../run/errorText';
import { runsAsTool } from '../run/runsAsTool';
import type { PaidBook } from './book';
import { SpendingLimit } from './spendingLimit';

/** What a run of a node that sends billable requests works with. */
export interface PaidRun {
	service: Service;
	book: PaidBook;
	spending: SpendingLimit;
}

/**
 * A run with the book of what its earlier tries paid for. Where the node cannot connect, the book stays: the next try names the
 * same tasks.
 */
export function paidRun(service: Service, book: PaidBook): PaidRun {
	const { context } = service;
	const spending = new SpendingLimit(context, {
		isRepeated: book.run > 0 || runsAsTool(context.getNode()),
		hasEarlierWork: book.hasEarlierWork,
	});
	return { service, book, spending };
}

/**
 * To be called before a run. Of the tries that Retry On Fail makes after a Stop, only the error of the last one is shown.
 * @throws NodeOperationError the error of the try that was stopped while a request was in flight
 */
export function throwIfStoppedBefore(context: IExecuteFunctions, book: PaidBook): void {
	for (const { item, earlier } of isStopped(context) ? book.entries : []) {
		if (earlier && isOwn(earlier, 'cancelled'))
			throw nodeError(context, new GatewayError(earlier), item);
	}
}
