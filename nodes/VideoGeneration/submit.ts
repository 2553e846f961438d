import {
	type BookEntry,
	CancelledError,
	GatewayError,
	NoResponseError,
	type PaidTask,
	systemClock,
	type VideoSubmission,
} from '../../gateway';
import { isLost, liveTasks } from '../shared/book/book';
import { present } from '../shared/form/outputItem';
import { type BillableVideo, readBillableVideo } from './videoRequest';
import type { Planned, VideoRun } from './videoTasks';

/**
 * Finds what earlier tries submitted for an item. To be called for each item before anything is submitted.
 * @throws SpendingLimitError, unless an earlier try paid for something: then the items fail one by one, and what is paid for
 * is waited for
 */
export function planSubmission(run: VideoRun, item: number): Planned {
	const { book, spending, service } = run;
	const billable = readBillableVideo(service.context, item);
	const entry = book.entryOf(item, billable.request);
	if (!book.hasEarlierWork) spending.plan(billable.request.n ?? 1, billable.maxBillableRequests);
	return { entry, start: async () => await submitRest(run, billable, entry) };
}

/**
 * Submits what has not been submitted yet, and writes it down before anything else happens: a second try never pays twice.
 * @throws GatewayError; after a lost response again and again, since the service may have accepted the submission, until
 * the user retries an execution that refused it
 */
async function submitRest(run: VideoRun, billable: BillableVideo, entry: BookEntry): Promise<void> {
	const { book, log, spending, service } = run;
	const { execution } = book;
	const { n = 1 } = billable.request;
	const live = liveTasks(entry).length;
	// The service may have made more than were asked for.
	const due = entry.tasks.filter(({ again }) => again === 'due');
	const count = live === 0 ? n : Math.min(due.length, n - live);
	if (count <= 0) return;
	if (isLost(entry, execution)) throw lostBefore(log.offersRetry);
	const request = live === 0 ? billable.request : { ...billable.request, n: count };
	const submitted = spending.spend(
		count,
		billable.maxBillableRequests,
		async () => await service.gateway.submitVideo(request, service.signal),
		({ data }) => data.length,
	);
	const submission = await submitted.catch((error: unknown) => {
		if (error instanceof GatewayError && error.mayHaveBeenAccepted) {
			entry.lostIn = execution;
			delete entry.toldIn;
			log.lost(entry.item, error instanceof CancelledError);
		}
		throw error;
	});
	const tasks = tasksOf(submission, book.address);
	for (const task of due) task.again = 'done';
	entry.tasks.push(...tasks);
	entry.asked = (entry.asked ?? 0) + count;
	entry.named = (entry.named ?? 0) + tasks.length;
	for (const field of ['lostIn', 'toldIn', 'earlier'] as const) delete entry[field];
	log.submitted(entry.item, tasks, count);
}

/** Two entries with one id are one video. */
function tasksOf({ data, ...submission }: VideoSubmission, address: string): PaidTask[] {
	const request = present(submission);
	const submittedAt = systemClock.wallTime();
	const byId = new Map(data.map((entry) => [entry.id, entry]));
	return [...byId.values()].map((entry) => ({ entry, request, submittedAt, address }));
}

function lostBefore(offersRetry: boolean) {
	const remedy = offersRetry
		? 'use Retry on this execution: the next Retry submits it again.'
		: 'run the workflow again: a new execution submits it again.';
	return new NoResponseError('The response to this submission was lost in an earlier try', {
		code: 'submission_lost',
		advice: `If your account shows no such request, ${remedy}`,
		mayHaveBeenAccepted: true,
	});
}
