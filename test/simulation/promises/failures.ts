import type { Played } from '../play/played';
import type { TruthRequest } from '../service/truth';
import type { Span } from './explained';

const MAX_BACKOFF_MS = 30_000;
const FIRST_BACKOFF_MS = 500;

interface Ended {
	endpoint: string;
	sentAt: number;
	endedAt: number;
	isFailure: boolean;
	/** The how many-th request it is for its prompt or its task. */
	attempt: number;
}

export function isFailure({ status, fault, whole }: TruthRequest): boolean {
	return status !== 200 || fault !== undefined || !whole;
}

/** The pause after each request that failed, or was not sent for want of a connection: it grows while one failure follows another. */
export function backoffs({ truth, end }: Played): Span[] {
	const ended: Ended[] = [
		...truth.requests.map(({ endedAt = end, ...request }) => ({
			...request,
			endedAt,
			isFailure: isFailure({ endedAt, ...request }),
		})),
		...truth.notConnected.map(({ at: sentAt, ...rest }) => ({
			...rest,
			sentAt,
			isFailure: true,
			attempt: 1,
		})),
	].sort((a, b) => a.sentAt - b.sentAt);
	const inARow = new Map<string, { count: number; endedAt: number }>();
	return ended.flatMap((each) => {
		const { endpoint, sentAt, endedAt, attempt } = each;
		const row = inARow.get(endpoint) ?? { count: 0, endedAt: -Infinity };
		inARow.set(endpoint, row);
		if (!each.isFailure) row.count = 0;
		if (!each.isFailure) return [];
		// Those that were sent together are one.
		if (sentAt >= row.endedAt) Object.assign(row, { count: row.count + 1, endedAt });
		const retries = Math.max(row.count, attempt) - 1;
		return [
			{
				from: sentAt,
				to: endedAt + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries),
			},
		];
	});
}
