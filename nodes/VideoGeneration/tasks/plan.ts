import type { IExecuteFunctions } from 'n8n-workflow';
import { liveTasks, type PaidBook } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import type { SpendingLimit } from '../../shared/book/spendingLimit';
import type { DurableWait } from '../../shared/durableWait/durableWait';
import type { Service } from '../../shared/run/connect';
import type { BillableVideo } from '../form/request';
import type { Plan } from '../operations';

/** What a run of the node knows before it is connected. */
export interface BookedRun {
	context: IExecuteFunctions;
	book: PaidBook;
	durable: DurableWait;
	/** Whether its operation submits videos. */
	submits: boolean;
}

/** What a connected run works with. */
export interface VideoRun extends BookedRun, Service {
	spending: SpendingLimit;
	/** Why it waits in memory: empty where Wait In is Memory; undefined for a wait in n8n's database. */
	inMemory: string | undefined;
}

/** The entry of an item, with what earlier tries submitted for it. To be called for each item before anything is submitted. */
export function openEntry(run: VideoRun, plan: Plan, item: number): BookEntry {
	const { book, spending } = run;
	const { video, taskIds = [], ...options } = plan;
	if (video === undefined) {
		const gateway = run.gatewayOf(item);
		const tasks = taskIds.map((id): PaidTask => ({ state: 'open', latest: gateway.knownTask(id) }));
		return book.add({ item, ...options, tasks });
	}
	const { request, maxBillableRequests } = video;
	const entry = Object.assign(book.entryOf(item, request), options);
	spending.plan(item, book.isLost(entry) ? 0 : missing(entry, request), maxBillableRequests);
	return entry;
}

/** How many videos of an item are still to be submitted. */
export function missing(entry: BookEntry, { n }: BillableVideo['request']): number {
	const ordered = n ?? 1;
	const live = liveTasks(entry).length;
	// The service may have made more than were asked for.
	return live === 0 ? ordered : Math.max(0, Math.min(entry.tasks.length - live, ordered - live));
}
