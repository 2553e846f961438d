import type { IDataObject } from 'n8n-workflow';
import {
	GatewayError,
	NoAnswerError,
	type VideoRequest,
	type VideoSubmission,
} from '../../gateway';
import type { Service } from '../shared/connect';
import { PaidWork, workKey } from '../shared/paidWork';

/** A submission that this execution made already. */
interface Submitted extends IDataObject {
	id?: string;
	model?: string;
	created?: number;
	tasks: Array<{ id: string }>;
	/** How many of its tasks failed: a re-run submits that many again, and no more. */
	failed: number;
	/** The execution in which the answer to a submission was lost. */
	lostIn?: string;
}

/** Submits videos, and remembers what was submitted before anything else happens, so that a re-run never pays twice. */
export class Submissions {
	private readonly made: PaidWork<Submitted>;

	constructor(private readonly service: Service) {
		this.made = new PaidWork(service.context, 'submissions');
	}

	/**
	 * Submits what is not submitted yet.
	 * @returns the submission with all its tasks, and whether they are of an earlier try
	 * @throws GatewayError; after a lost answer again and again within the same execution, since the service may
	 * have accepted the submission
	 */
	async submit(
		request: VideoRequest,
		itemIndex: number,
	): Promise<{ submission: VideoSubmission; resumed: boolean }> {
		const key = workKey(itemIndex, request);
		const earlier = this.made.find(key);
		const execution = this.service.context.getExecutionId();
		if (earlier?.lostIn !== undefined && earlier.lostIn === execution) throw lostBefore();
		if (earlier !== undefined && earlier.failed === 0 && earlier.tasks.length > 0) {
			return { submission: toSubmission(earlier), resumed: true };
		}
		const kept = earlier?.tasks ?? [];
		const failed = earlier?.failed ?? 0;
		const remaining = failed > 0 && kept.length > 0 ? { ...request, n: failed } : request;
		const submission = await this.service.gateway
			.submitVideo(remaining, this.service.signal)
			.catch((error: unknown) => {
				if (error instanceof GatewayError && error.mayHaveBeenAccepted) {
					this.made.remember(key, { tasks: kept, failed, lostIn: execution });
				}
				throw error;
			});
		const { id, model, created, data } = submission;
		this.made.remember(key, {
			...(id !== undefined && { id }),
			...(model !== undefined && { model }),
			...(created !== undefined && { created }),
			tasks: [...kept, ...data.map((task) => ({ id: task.id }))],
			failed: 0,
		});
		const before = kept.map((task) => ({ ...task, status: 'processing' as const }));
		return { submission: { ...submission, data: [...before, ...data] }, resumed: kept.length > 0 };
	}

	/** A failed task is not asked for again: a re-run makes a new one in its place. */
	taskFailed(itemIndex: number, request: VideoRequest, taskId: string): void {
		const key = workKey(itemIndex, request);
		const entry = this.made.find(key);
		if (entry === undefined) return;
		const tasks = entry.tasks.filter(({ id }) => id !== taskId);
		this.made.remember(key, { ...entry, tasks, failed: entry.failed + 1 });
	}

	/** Every item is done: nothing will be run again. */
	allDone(): void {
		this.made.forgetRun();
	}
}

function toSubmission({ id, model, created, tasks }: Submitted): VideoSubmission {
	return {
		object: 'video.generation',
		...(id !== undefined && { id }),
		...(model !== undefined && { model }),
		...(created !== undefined && { created }),
		data: tasks.map((task) => ({ ...task, status: 'processing' })),
	};
}

function lostBefore() {
	return new NoAnswerError('The answer to this submission was lost in an earlier try', {
		code: 'submission_lost',
		advice: 'If your account shows that it was not accepted, run the workflow anew.',
		mayHaveBeenAccepted: true,
	});
}
