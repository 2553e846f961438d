import type { Endpoint } from '../../../simulator';
import type { RequestContext } from '../../../simulator/requestHandler';
import { endOf, type Task } from '../../../simulator/video/tasks';

/** How an exchange ended for the client. */
export type Ending =
	| 'complete'
	| 'reset'
	| 'closed'
	/** The client gave up, or its process ended. */
	| 'given up'
	/** Not yet. */
	| 'open';

/** A request that the service received. All times are true times in milliseconds since 1970. */
export interface TruthRequest {
	index: number;
	endpoint: Endpoint;
	method: string;
	path: string;
	key: string;
	model: string;
	/** Also of the task that is polled or downloaded; the last user message of a chat. */
	prompt: string;
	/** Of a poll or download. */
	taskId: string | undefined;
	attempt: number;
	body: unknown;
	/** When the client wrote it, and when the service received it. */
	sentAt: number;
	at: number;
	/** The service did what is billed: it answered the chat or made the tasks. */
	accepted: boolean;
	/** The tasks of this submission. */
	tasks: string[];
	/** Of the response that the client received; undefined if it received none. */
	status: number | undefined;
	/** When the client received status and headers. */
	answeredAt: number | undefined;
	ending: Ending;
	endedAt: number | undefined;
	/** Which limit of the plan refused it. */
	limit: number | undefined;
	/** Which random refusal of the plan refused it. */
	refusal: number | undefined;
	/** The name of the fault that was played on it. */
	fault: string | undefined;
	/** Until when the response asked the client to wait. */
	pauseUntil: number | undefined;
}

/** A task that the service made. */
export interface TruthTask {
	id: string;
	/** What polls call it; usually its id. */
	reportedId: string;
	submissionId: string;
	prompt: string;
	model: string;
	/** The index of the submission. */
	request: number;
	createdAt: number;
	/** When it ended, or will end; undefined if never. */
	finishedAt: number | undefined;
	ending: string;
}

/** What really happened at the service. */
export interface Truth {
	/** In the order of arrival. */
	requests: TruthRequest[];
	tasks: TruthTask[];
	/** Connections that were not made. */
	notConnected: Array<{ at: number; url: string; failure: string }>;
	/** Requests that left for other hosts, with all that they would have sent. */
	elsewhere: Array<{ at: number; url: string; headers: Record<string, string> }>;
}

export function truthOfRequest(
	context: RequestContext,
	index: number,
	sentAt: number,
): TruthRequest {
	const { endpoint, method, path, key, model, prompt, attempt, body, at } = context;
	return {
		index,
		endpoint,
		method,
		path,
		key,
		model,
		prompt,
		taskId: context.task?.id,
		attempt,
		body,
		sentAt,
		at,
		accepted: false,
		tasks: [],
		status: undefined,
		answeredAt: undefined,
		ending: 'open',
		endedAt: undefined,
		limit: undefined,
		refusal: undefined,
		fault: undefined,
		pauseUntil: undefined,
	};
}

export function truthOfTask(task: Task, request: number): TruthTask {
	const { id, reportedId, submissionId, prompt, model, createdAt } = task;
	const end = endOf(task);
	return {
		id,
		reportedId,
		submissionId,
		prompt,
		model,
		request,
		createdAt,
		finishedAt: end === Infinity ? undefined : end,
		ending: task.outcome?.ending ?? task.plan.ending ?? 'completed',
	};
}
