import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	NodeApiError,
	type NodeError,
	NodeOperationError,
} from 'n8n-workflow';
import {
	type ErrorReport,
	GatewayError,
	InvalidInputError,
	logMessage,
	type NodeCode,
	NoResponseError,
	type PaidTask,
	ServiceError,
	SpendingLimitError,
	TaskFailedError,
	UrlRefusedError,
} from '../../../gateway';
import { runsAsTool } from '../form/hints';
import { present } from '../form/outputItem';

const MAY_BE_PAID =
	'The service may have accepted the request, so it was not retried. Check your account before you run it again: it may be billed twice.';

/** What a user sees of a failure, the same in an error item and in a thrown error. */
type Failure = ErrorReport['failure'];

/** An error with its task. */
export class TaskError extends Error {
	constructor(
		readonly task: PaidTask,
		override readonly cause: unknown,
	) {
		super('The video task failed');
	}
}

/** An error that an earlier run of the node reported. */
export class ReportedError extends Error {
	constructor(readonly report: ErrorReport) {
		super(report.failure.message);
	}
}

/** A refusal of the option Max Billable Requests says nothing of what an earlier try of the same item paid for. */
export function afterEarlierTry(error: unknown, earlier: ErrorReport | undefined): unknown {
	if (!(error instanceof SpendingLimitError) || earlier === undefined) return error;
	const { failure, ...report } = reportError(error);
	const { message, description, task_id, status, url, may_have_been_accepted, partial_text } =
		earlier.failure;
	const kept = { task_id, status, url, may_have_been_accepted, partial_text };
	return new ReportedError({
		...report,
		failure: {
			...failure,
			description: `${failure.description} In the try before: ${withFullStop(message)} ${description}`,
			...present(kept),
		},
	});
}

export function reportError(error: unknown): ErrorReport {
	if (error instanceof ReportedError) return error.report;
	const origin = causeOf(error);
	const isApiError =
		origin instanceof ServiceError ||
		origin instanceof NoResponseError ||
		origin instanceof TaskFailedError;
	return { failure: describe(error), isApiError };
}

/** The output of a failed item: only this shape takes n8n's error branch. */
export function errorItem(error: unknown, itemIndex: number): INodeExecutionData {
	const failure = { ...reportError(error).failure, item: itemIndex };
	return { json: { error: failure as unknown as IDataObject }, pairedItem: { item: itemIndex } };
}

/**
 * The error that a node throws: it names the item, and keeps the service's own words in the description. An agent reads
 * only the message of its tool, and the reader of a stream gets only the description: there, each says everything.
 * @param itemIndex undefined where n8n does not tell which item the error is about
 */
export function nodeError(
	node: INode,
	error: unknown,
	itemIndex: number | undefined,
	streams = false,
): NodeError {
	const { failure, isApiError } = reportError(error);
	const { message, description: advice, http_status } = failure;
	// A chat window shows the line break as a space.
	const all = `${withFullStop(message)}\n${advice}`;
	const description = streams ? all : advice;
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	const described = {
		message: logMessage(runsAsTool(node) ? all : `${message}${item}`),
		description,
		...(itemIndex !== undefined && { itemIndex }),
	};
	if (!isApiError) return new NodeOperationError(node, described.message, described);
	return new NodeApiError(
		node,
		{ message: described.message },
		{ ...described, ...(http_status !== null && { httpCode: String(http_status) }) },
	);
}

/** A message as a sentence that another one follows. */
export function withFullStop(message: string): string {
	return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** What happened, what to do and what the service says, for places of the editor that show one text alone. */
export function errorSummary(error: unknown): string {
	if (!(error instanceof GatewayError))
		return error instanceof Error ? error.message : String(error);
	const { message, advice, quote } = error;
	return `${message}. ${advice}${quote ? ` ${quote}` : ''}`;
}

function describe(error: unknown): Failure {
	const cause = causeOf(error);
	const task = error instanceof TaskError ? stateOf(error.task) : {};
	if (!(cause instanceof GatewayError)) return { ...describeForeign(cause), ...task };
	const { quote, technical } = cause;
	// In one line: an item shows a line break as \n, and the editor as a space.
	const words =
		(quote === undefined ? '' : ` ${quote}`) +
		(technical === undefined ? '' : ` Technical detail: ${technical}`);
	return {
		message: cause.message,
		description:
			cause.advice +
			(cause.sent > 1 ? ` It was tried ${cause.sent} times.` : '') +
			(cause.mayHaveBeenAccepted ? ` ${MAY_BE_PAID}` : '') +
			words,
		code: cause.code,
		http_status:
			cause instanceof ServiceError || cause instanceof UrlRefusedError ? cause.status : null,
		...(cause instanceof InvalidInputError && { parameter: cause.parameter }),
		...(cause instanceof ServiceError && {
			...(cause.reason !== undefined && { reason: cause.reason }),
			...(cause.retryAfterMs !== undefined && {
				retry_after: Math.ceil(cause.retryAfterMs / 1000),
			}),
			...(cause.rateLimit !== undefined && { rate_limit: cause.rateLimit }),
		}),
		// A task was accepted, whatever became of its poll or its download.
		...(!(error instanceof TaskError) &&
			(cause instanceof NoResponseError || cause.mayHaveBeenAccepted) && {
				may_have_been_accepted: cause.mayHaveBeenAccepted,
			}),
		...(cause.partialText !== undefined && { partial_text: cause.partialText }),
		...task,
	};
}

/** What lists and errors call the state of a task. */
export function statusOf({ entry, isUnknown }: PaidTask): string {
	return isUnknown === true ? 'not found' : entry.status;
}

/** A URL that leads to the video from anywhere. Inline data is none, and longer than any signed URL. */
export function urlOf({ entry: { url } }: PaidTask): string | null {
	return url && /^https?:\/\/\S{1,2048}$/i.test(url) ? url : null;
}

/** What an error item tells of its task. */
function stateOf(task: PaidTask) {
	return { task_id: task.entry.id, status: statusOf(task), url: urlOf(task) };
}

/** An error of n8n itself, such as an expression that cannot be resolved. */
function describeForeign(error: unknown): Failure {
	const message = error instanceof Error ? error.message : String(error);
	const described =
		error instanceof Error && 'description' in error && typeof error.description === 'string';
	return {
		message,
		description: described
			? String(error.description)
			: 'Check the parameters and the credential of the node.',
		code: 'node_error' satisfies NodeCode,
		http_status: null,
	};
}

function causeOf(error: unknown): unknown {
	return error instanceof TaskError ? error.cause : error;
}
