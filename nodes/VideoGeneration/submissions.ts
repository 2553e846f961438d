import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	GatewayError,
	NoResponseError,
	type VideoRequest,
	type VideoSubmission,
} from '../../gateway';
import type { Service } from '../shared/connect';
import { RequestLedger, type RequestKey, requestKey } from '../shared/requestLedger';

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

/** The tasks of one item. */
interface Ordered {
	submission: VideoSubmission;
	/** Some of them are of an earlier try. */
	resumed: boolean;
	/** Why there are no tasks in place of those that failed. */
	failure?: unknown;
}

/** Submits videos, and remembers what was submitted before anything else happens, so that a re-run never pays twice. */
export class Submissions {
	private readonly made: RequestLedger<Submitted>;

	constructor(private readonly service: Service) {
		this.made = new RequestLedger(service.context, 'submissions');
	}

	/**
	 * Submits what is not submitted yet.
	 * @throws GatewayError, unless there are tasks of an earlier try; after a lost answer again and again within the same
	 * execution, since the service may have accepted the submission
	 */
	async submit(request: VideoRequest, itemIndex: number): Promise<Ordered> {
		const key = requestKey(itemIndex, request);
		const earlier = this.made.find(key);
		const kept = earlier === undefined ? undefined : toSubmission(earlier);
		const resumed = kept !== undefined && kept.data.length > 0;
		if (resumed && earlier?.failed === 0) return { submission: kept, resumed };
		const rest = await this.submitRest(request, key, earlier).catch((failure: unknown) => {
			if (!resumed) throw failure;
			return { failure };
		});
		if ('failure' in rest) return { submission: kept ?? { data: [] }, resumed, ...rest };
		return { submission: { ...rest, data: [...(kept?.data ?? []), ...rest.data] }, resumed };
	}

	/** Submits as many videos as failed, or all. */
	private async submitRest(
		request: VideoRequest,
		key: RequestKey,
		{ tasks, failed, lostIn }: Submitted = { tasks: [], failed: 0 },
	): Promise<VideoSubmission> {
		const execution = this.service.context.getExecutionId();
		if (lostIn !== undefined && lostIn === execution) throw lostBefore();
		const rest = failed > 0 && tasks.length > 0 ? { ...request, n: failed } : request;
		const submission = await this.service.gateway
			.submitVideo(rest, this.service.signal)
			.catch((error: unknown) => {
				if (error instanceof GatewayError && error.mayHaveBeenAccepted) {
					this.made.remember(key, { tasks, failed, lostIn: execution });
				}
				throw error;
			});
		const { id, model, created, data } = submission;
		this.made.remember(key, {
			...(id !== undefined && { id }),
			...(model !== undefined && { model }),
			...(created !== undefined && { created }),
			tasks: [...tasks, ...data.map((task) => ({ id: task.id }))],
			failed: 0,
		});
		return submission;
	}

	/** A failed task is not asked for again: a re-run makes a new one in its place. */
	taskFailed(itemIndex: number, request: VideoRequest, taskId: string): void {
		const key = requestKey(itemIndex, request);
		const entry = this.made.find(key);
		if (entry === undefined) return;
		const tasks = entry.tasks.filter(({ id }) => id !== taskId);
		this.made.remember(key, { ...entry, tasks, failed: entry.failed + 1 });
	}

	/** The run is over: with these items, or with an error that it throws. */
	end(items: INodeExecutionData[] | undefined): void {
		this.made.end(items);
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
	return new NoResponseError('The answer to this submission was lost in an earlier try', {
		code: 'submission_lost',
		advice: 'If your account shows that it was not accepted, run the workflow anew.',
		mayHaveBeenAccepted: true,
	});
}
