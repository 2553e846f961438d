import { GatewayError } from '../../../gateway';
import type { Service } from '../run/connect';
import { afterEarlierTry } from '../run/errorText';
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
	return { service, book, spending: new SpendingLimit(service.context) };
}

/** Once all items are planned: why none is sent, with what an earlier try may have been billed for. */
export function refusalOf({ book, spending }: PaidRun) {
	const refusal = spending.refusal();
	const earlier = [...book.current.values()].find((entry) => entry.earlier)?.earlier;
	return (
		refusal && {
			...refusal,
			error: new GatewayError(afterEarlierTry(refusal.error.record, earlier)),
		}
	);
}
