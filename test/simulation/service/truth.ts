import { z } from 'zod';
import type { Endpoint } from '../../../simulator';
import type { RequestContext } from '../../../simulator/requestHandler';
import { endOf, type Task } from '../../../simulator/video/tasks';
import type { TaskPlan } from './plan';

/** A request that the service received. All times are the world's, in milliseconds since 1970. */
export interface TruthRequest {
	/** When it arrived. */
	at: number;
	/** When the client began to send it: with a connection of its own. */
	sentAt: number;
	endpoint: Exclude<Endpoint, 'chatStream'>;
	/** Under which of its hosts the service was asked. */
	origin: string;
	path: string;
	key: string;
	model: string;
	/** What the prompt is called, also that of the task that is polled or downloaded. */
	prompt: string;
	rawPrompt: string;
	/** Of a poll or a download. */
	taskId: string;
	/** How many videos a submission asks for. */
	n: number;
	/** The how many-th request it is for its prompt or its task. */
	attempt: number;
	/** The service did what is billed: it answered the chat or made the tasks. */
	accepted: boolean;
	/** The ids of the tasks of this submission. */
	tasks: string[];
	/** Of the response, as far as the client received it. */
	status: number | undefined;
	/** The body of a response that is an error. */
	refusal: string;
	/** When the client received status and headers. */
	heardAt: number | undefined;
	/** The whole response arrived, and can be read. */
	whole: boolean;
	/** When the response was complete, or the connection was closed by either side. */
	endedAt: number | undefined;
	/** The key was sent with it. */
	hasKey: boolean;
	/** As the service parsed it. */
	body: unknown;
	/** The response of a poll that says completed or failed. */
	finished: boolean;
	fault: string | undefined;
	/** What refused it: a limit, or `random`. */
	limit: string | undefined;
	/** The seconds that a response asked for, and until when that is. */
	retryAfter: number | undefined;
	pauseUntil: number | undefined;
}

/** A task that the service made. */
export interface TruthTask {
	id: string;
	prompt: string;
	model: string;
	key: string;
	createdAt: number;
	/** When it ends; Infinity for one that never does. */
	finishedAt: number;
	ending: NonNullable<TaskPlan['ending']>;
	/** The submission. */
	request: TruthRequest;
	/** What was to become of it. */
	plan: Task['plan'];
}

/** What really happened at the service. */
export interface Truth {
	/** In the order of arrival. */
	requests: TruthRequest[];
	tasks: Map<string, TruthTask>;
	/** The ids of submissions whose response named no task: the node can only ask for these. */
	withoutTaskIds: Set<string>;
	/** Connections that were not made, with the time at which a client notices. */
	notConnected: Array<{
		at: number;
		endedAt: number;
		endpoint: Endpoint;
		url: string;
		failure: string;
	}>;
	/** Requests to other hosts, with the headers that they would have sent. */
	elsewhere: Array<{ at: number; url: string; headers: Record<string, string> }>;
}

const submission = z.looseObject({ n: z.int().catch(1) });

export function truthOfRequest(context: RequestContext, sentAt: number): TruthRequest {
	const { endpoint, origin, path, key, model, prompt, rawPrompt, attempt, body, at } = context;
	return {
		at,
		sentAt,
		endpoint: endpoint === 'chatStream' ? 'chat' : endpoint,
		origin,
		path,
		key,
		model,
		prompt,
		rawPrompt,
		taskId: context.taskId,
		n: submission.safeParse(body).data?.n ?? 1,
		attempt,
		accepted: false,
		tasks: [],
		status: undefined,
		refusal: '',
		heardAt: undefined,
		whole: false,
		endedAt: undefined,
		hasKey: context.authorization !== '',
		body,
		finished: false,
		fault: undefined,
		limit: undefined,
		retryAfter: undefined,
		pauseUntil: undefined,
	};
}

/** The tasks whose ids the service tells. */
export function named(tasks: readonly Task[] = []): readonly Task[] {
	return tasks.at(-1)?.plan.missingEntryId ? tasks.slice(0, -1) : tasks;
}

/** Adds what the service did with a request. */
export function noteOutcome(truth: TruthRequest, context: RequestContext): void {
	const { accepted, fault, exceeded, refused, reported } = context;
	// What fails in the service's own words is not billed.
	truth.accepted = accepted && !/^stream-(error|echo-key)/.test(fault ?? '');
	truth.tasks = [...new Set(named(context.tasks).map(({ id }) => id))];
	truth.fault = fault;
	truth.finished = reported === 'completed' || reported === 'failed';
	if (exceeded) truth.limit = `${exceeded.limit.kind} of each ${exceeded.limit.scope ?? 'key'}`;
	if (refused) truth.limit = 'random';
}

export function truthOfTask(task: Task, prompt: string, request: TruthRequest): TruthTask {
	const { id, model, createdAt } = task;
	const ending = endingOf(task);
	const finishedAt = ending === 'vanished' ? Infinity : endOf(task);
	const { key } = request;
	return {
		id,
		prompt,
		model,
		key,
		createdAt,
		finishedAt,
		ending,
		request,
		plan: task.plan,
	};
}

function endingOf({ plan, outcome }: Task): TruthTask['ending'] {
	// What a fault makes of a task goes before the plan.
	const { ending = plan.ending } = outcome ?? {};
	if (outcome?.ending === 'failed') return 'failed';
	if (plan.vanishesAfterSeconds !== undefined) return 'vanished';
	if (ending === 'processing forever') return 'never';
	return ending === 'failed' ? 'failed' : 'completed';
}
