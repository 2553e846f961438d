import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import {
	CancelledError,
	GatewayError,
	NoResponseError,
	systemClock,
	type VideoSubmission,
} from '../../gateway';
import { liveTasks } from '../shared/book/book';
import type { BookEntry, PaidTask } from '../shared/book/schema';
import type { PaidRun } from '../shared/book/withBook';
import type { DurableWait } from '../shared/durableWait/durableWait';
import type { FormReader } from '../shared/form/formReader';
import { type OutputFields, present } from '../shared/form/outputItem';
import { simplifyProperty } from '../shared/form/sharedProperties';
import type { VideoOutput } from './output';
import { readOutput } from './resultOptions';
import type { TaskLog } from './taskLog';
import {
	type BillableVideo,
	optionsProperty,
	readBillableVideo,
	requestProperties,
} from './videoRequest';

/** What one run of the node works with. */
export interface VideoRun extends PaidRun {
	durable: DurableWait;
	log: TaskLog;
	output: VideoOutput;
}

/** What an operation does with an item, and how its tasks are waited for and shown. */
export interface Plan extends Pick<BookEntry, 'waitOptions' | 'outputOptions'> {
	/** Finds or makes the entry of the item, once the parameters of all items are read and checked. */
	open: (run: VideoRun, item: number) => BookEntry;
	/** What is done before the tasks of the entry are waited for. */
	start?: (run: VideoRun, entry: BookEntry) => Promise<void>;
}

export interface Operation {
	option: Omit<INodePropertyOptions, 'value'>;
	properties: INodeProperties[];
	outputFields: OutputFields;
	/**
	 * Reads an item.
	 * @param options the collection Options, which is read once
	 * @throws InvalidInputError
	 */
	plan: (form: FormReader, item: number, options: Record<string, unknown>) => Plan;
}

/** Submits a video, and continues without waiting. */
export const submit: Operation = {
	option: {
		name: 'Submit',
		action: 'Submit a video without waiting',
		description: 'Submit a video and continue without waiting',
	},
	properties: [...requestProperties, simplifyProperty, optionsProperty],
	outputFields: {
		status: 'string',
		url: 'null',
		task_id: 'string',
		created_at: 'integer',
		model: 'string',
		request_id: 'string',
		revised_prompt: 'string',
	},
	plan: (form, item, options) => ({
		...planSubmission(form, item, options),
		outputOptions: readOutput(form, item, options),
	}),
};

/** Finds what earlier tries submitted for an item. To be called for each item before anything is submitted. */
export function planSubmission(
	form: FormReader,
	itemIndex: number,
	options: Record<string, unknown>,
): Pick<Plan, 'open' | 'start'> {
	const billable = readBillableVideo(form, itemIndex, options);
	const { request, maxBillableRequests } = billable;
	return {
		open: ({ book, spending }, item) => {
			const entry = book.entryOf(item, request);
			spending.plan(item, book.isLost(entry) ? 0 : missing(entry, request), maxBillableRequests);
			return entry;
		},
		start: async (run, entry) => await submitRest(run, billable, entry),
	};
}

/**
 * Submits what has not been submitted yet, and writes it down before anything else happens: a second try never pays twice.
 * @throws GatewayError; in the execution that lost the response always, since the service may have accepted the submission
 */
async function submitRest(run: VideoRun, billable: BillableVideo, entry: BookEntry): Promise<void> {
	const { book, log, spending, service } = run;
	const count = missing(entry, billable.request);
	if (count === 0) return;
	if (book.isLost(entry)) throw lostBefore(log.offersRetry);
	const hasTasks = liveTasks(entry).length > 0;
	const request = hasTasks ? { ...billable.request, n: count } : billable.request;
	const submitted = spending.spend(
		count,
		billable.maxBillableRequests,
		async () => await service.gatewayOf(entry.item).submitVideo(request, service.signal),
		({ data }) => data.length,
	);
	const submission = await submitted.catch((error: unknown) => {
		if (error instanceof GatewayError && error.mayHaveBeenAccepted) {
			entry.lost = {};
			log.lost(entry.item, error instanceof CancelledError);
		}
		throw error;
	});
	const tasks = tasksOf(submission);
	entry.tasks = [...liveTasks(entry), ...tasks];
	entry.asked = (entry.asked ?? 0) + count;
	entry.named = (entry.named ?? 0) + tasks.length;
	delete entry.lost;
	delete entry.earlier;
	log.submitted(entry.item, tasks, count);
}

/** How many videos of an item are still to be submitted. */
function missing(entry: BookEntry, { n = 1 }: BillableVideo['request']): number {
	const live = liveTasks(entry).length;
	// The service may have made more than were asked for.
	return live === 0 ? n : Math.max(0, Math.min(entry.tasks.length - live, n - live));
}

/** Two tasks with one ID are one video. */
function tasksOf({ data, ...submission }: VideoSubmission): PaidTask[] {
	const request = present(submission);
	const submittedAt = systemClock.wallTime();
	const byId = new Map(data.map((task) => [task.id, task]));
	return [...byId.values()].map((latest) => ({ state: 'open', latest, request, submittedAt }));
}

function lostBefore(offersRetry: boolean) {
	const remedy = offersRetry
		? 'use Retry on this execution.'
		: 'run the workflow again: a new execution submits it again.';
	return new NoResponseError('The response to this submission was lost in an earlier try', {
		code: 'submission_lost',
		advice: `If your account shows no such request, ${remedy}`,
		mayHaveBeenAccepted: true,
	});
}
