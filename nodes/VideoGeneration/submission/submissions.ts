import type { IDataObject } from 'n8n-workflow';
import {
	CancelledError,
	GatewayError,
	MAX_TASKS,
	NoResponseError,
	systemClock,
	type VideoSubmission,
	type WallTime,
} from '../../../gateway';
import type { TaskState } from '../../shared/run/errorText';
import type { RunHints } from '../../shared/form/hints';
import type { LedgerEntry } from '../../shared/ledger/requestLedger';
import type { PaidRun } from '../../shared/ledger/withLedger';
import { isLost, type RecordedTask, type Submitted } from '../tasks/record';
import type { VideoOrder } from './request';
import { present } from '../output/taskItem';
import type { TaskLog } from '../tasks/taskLog';

/** A task, as it was right after its submission. */
export interface SubmittedTask {
	task: VideoSubmission['data'][number];
	/** The service's object of the request that created it, without its tasks: `id`, `model`, `created`. */
	request: IDataObject;
	submittedAt: WallTime;
}

/** The tasks of one item. */
export interface Submission {
	tasks: SubmittedTask[];
	/** Why the tasks that failed in an earlier try have no replacements. */
	failure?: unknown;
}

/** Submits videos, and remembers each submission before anything else happens, so that a second try never pays twice. */
export class Submissions {
	private readonly entries = new Map<number, LedgerEntry<Submitted>>();

	constructor(
		private readonly paid: PaidRun<Submitted>,
		private readonly log: TaskLog,
		private readonly hints: RunHints,
	) {}

	/**
	 * To be called for each item before anything is submitted.
	 * @throws SpendingLimitError
	 */
	plan(order: VideoOrder, itemIndex: number): VideoOrder {
		const { ledger, spending } = this.paid;
		const entry = ledger.entryOf(itemIndex, order.request);
		this.entries.set(itemIndex, entry);
		spending.plan(this.missing(order, entry.read()), order.maxBillableRequests);
		return order;
	}

	/** How many videos of an order are still to be submitted. */
	private missing({ request }: VideoOrder, earlier?: Submitted): number {
		const execution = this.paid.service.context.getExecutionId();
		if (earlier !== undefined && isLost(earlier, execution)) return 0;
		return earlier !== undefined && earlier.tasks.length > 0 ? earlier.failed : (request.n ?? 1);
	}

	/**
	 * Submits what has not been submitted yet.
	 * @throws GatewayError, unless there are tasks of an earlier try; after a lost response again and again, since the
	 * service may have accepted the submission, until the user retries an execution that refused it
	 */
	async submit(order: VideoOrder, itemIndex: number): Promise<Submission> {
		const entry = this.entryOf(itemIndex);
		const earlier = entry.read();
		const kept = earlier?.tasks.map(asSubmitted) ?? [];
		if (kept.length > 0 && earlier?.failed === 0) return { tasks: kept };
		const submitted = this.submitRest(order, entry, itemIndex, earlier);
		return await submitted.then(
			(tasks) => ({ tasks: [...kept, ...tasks] }),
			(failure: unknown) => {
				if (kept.length === 0) throw failure;
				return { tasks: kept, failure };
			},
		);
	}

	/** Submits as many videos as failed, or all. */
	private async submitRest(
		order: VideoOrder,
		entry: LedgerEntry<Submitted>,
		itemIndex: number,
		earlier: Submitted = { tasks: [], failed: 0 },
	): Promise<SubmittedTask[]> {
		const { service, spending } = this.paid;
		const { context, gateway, signal } = service;
		const execution = context.getExecutionId();
		if (isLost(earlier, execution)) {
			entry.write({ ...earlier, refusedIn: execution });
			throw lostBefore();
		}
		const { tasks, failed } = earlier;
		const { request, maxBillableRequests } = order;
		const rest = failed > 0 && tasks.length > 0 ? { ...request, n: failed } : request;
		const submit = async () => await gateway.submitVideo(rest, signal);
		const submitted = spending.spend(rest.n ?? 1, maxBillableRequests, submit);
		const submission = await submitted.catch((error: unknown) => {
			if (error instanceof GatewayError && error.mayHaveBeenAccepted) {
				entry.write({ tasks, failed, lostIn: execution });
				this.log.lost(itemIndex);
				if (error instanceof CancelledError) this.log.mayBeSubmitted(itemIndex);
			}
			throw error;
		});
		const { data, taskCount, ...fields } = submission;
		const submittedAt = systemClock.wallTime();
		const { id, object, created, model } = submission;
		const remembered = present({ id, object, created, model });
		const made = data.map(
			({ id, revised_prompt }): RecordedTask => ({
				id,
				request: remembered,
				submittedAt,
				...(revised_prompt && { revised_prompt }),
			}),
		);
		entry.write({ tasks: [...tasks, ...made], failed: 0 });
		for (const task of data) this.log.note(task);
		this.log.submitted(
			data.map((task) => task.id),
			itemIndex,
			taskCount,
		);
		this.noteCount(taskCount, rest.n ?? 1, itemIndex);
		return data.map((task) => ({ task, request: present(fields), submittedAt }));
	}

	private noteCount(count: number, wanted: number, itemIndex: number): void {
		if (count < wanted) {
			this.log.missing(wanted - count, itemIndex);
			this.hints.note('missing: the service created fewer than were asked for.', wanted - count);
		}
		if (count > wanted)
			this.hints.note(
				'beyond what one submission asked for. Check your account: they may be billed.',
				count - wanted,
			);
		if (count > MAX_TASKS)
			this.hints.note(
				`not waited for: one submission created more than ${MAX_TASKS}.`,
				count - MAX_TASKS,
			);
	}

	/** A failed task is not waited for again: a second try makes a new one in its place. */
	taskEnded(itemIndex: number, { task_id, status, url }: TaskState): void {
		const entry = this.entryOf(itemIndex);
		const known = entry.read();
		if (known === undefined) return;
		if (status === 'failed') {
			const tasks = known.tasks.filter(({ id }) => id !== task_id);
			entry.write({ ...known, tasks, failed: known.failed + 1 });
		} else {
			const ended = { status, ...(url && { url }) };
			const tasks = known.tasks.map((task) => (task.id === task_id ? { ...task, ...ended } : task));
			entry.write({ ...known, tasks });
		}
	}

	/** After a wait in n8n's database the form alone tells which order it was. */
	private entryOf(itemIndex: number): LedgerEntry<Submitted> {
		return this.entries.get(itemIndex) ?? this.paid.ledger.entryOf(itemIndex, {});
	}
}

function asSubmitted({ id, request, submittedAt, revised_prompt }: RecordedTask): SubmittedTask {
	return { task: { id, status: 'processing', revised_prompt }, request, submittedAt };
}

function lostBefore() {
	return new NoResponseError('The response to this submission was lost in an earlier try', {
		code: 'submission_lost',
		advice:
			'If your account shows no such request, use Retry on this execution: that orders it again.',
		mayHaveBeenAccepted: true,
	});
}
