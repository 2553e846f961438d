import {
	CancelledError,
	GatewayError,
	NoResponseError,
	systemClock,
	type VideoSubmission,
} from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import { present } from '../../shared/output/item';
import type { BillableVideo } from '../form/request';
import { RETRY } from './advice';
import { download } from './download';
import { offersRetry, tellOfLost, tellOfSubmitted } from './log';
import { missing, type VideoRun } from './plan';
import { failTask } from './settle';

/**
 * Submits what has not been submitted yet, and writes it down before anything else happens: a second try never pays twice.
 * @throws GatewayError; in the execution that lost the response always, since the service may have accepted the submission
 */
export async function submitMissing(
	run: VideoRun,
	billable: BillableVideo,
	entry: BookEntry,
): Promise<void> {
	const { book, spending } = run;
	const count = missing(entry, billable.request);
	if (count === 0) return;
	if (book.isLost(entry)) throw lostBefore(run);
	const hasTasks = liveTasks(entry).length > 0;
	const request = hasTasks ? { ...billable.request, n: count } : billable.request;
	const videos = new Map<string, Buffer>();
	const submitted = spending.spend(
		count,
		billable.maxBillableRequests,
		async () => await run.gatewayOf(entry.item).submitVideo(request, run.signal, videos),
		({ data }) => data.length,
	);
	const submission = await submitted.catch((error: unknown) => {
		if (error instanceof GatewayError && error.record.may_have_been_accepted) {
			entry.lost = {};
			tellOfLost(run, entry.item, error instanceof CancelledError);
		}
		throw error;
	});
	const tasks = tasksOf(submission);
	entry.tasks = [...liveTasks(entry), ...tasks];
	entry.asked = (entry.asked ?? 0) + count;
	entry.named = (entry.named ?? 0) + tasks.length;
	delete entry.lost;
	delete entry.earlier;
	tellOfSubmitted(run, entry.item, tasks, count);
	for (const task of tasks) {
		const video = videos.get(task.latest.id);
		// Nobody else may have it, so it is a file of the item, downloaded or not.
		if (video)
			await download(run, entry, task, video).then(
				(file) => (task.file = file),
				(error: unknown) => failTask(run, task, error),
			);
	}
}

/** Two tasks with one ID are one video. */
function tasksOf({ data, ...submission }: VideoSubmission): PaidTask[] {
	const request = present(submission);
	const submittedAt = systemClock.wallTime();
	const byId = new Map(data.map((task) => [task.id, task]));
	return [...byId.values()].map((latest) => ({ state: 'open', latest, request, submittedAt }));
}

function lostBefore(run: VideoRun) {
	const remedy = offersRetry(run)
		? `use ${RETRY}.`
		: 'run the workflow again: a new execution submits it again.';
	return new NoResponseError({
		message: 'The response to this submission was lost in an earlier try',
		advice: `If your account shows no such request, ${remedy}`,
		code: 'submission_lost',
		may_have_been_accepted: true,
	});
}
