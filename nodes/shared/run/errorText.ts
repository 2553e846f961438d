import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type ISupplyDataFunctions,
	NodeApiError,
	type NodeError,
	NodeOperationError,
} from 'n8n-workflow';
import {
	CancelledError,
	GatewayError,
	InvalidInputError,
	logMessage,
	type NodeCode,
	NoResponseError,
	ServiceError,
	TaskFailedError,
	UrlRefusedError,
} from '../../../gateway';
import { runsAsTool } from '../form/hints';
import { ExpressionFailure } from '../form/formReader';
import { present } from '../form/outputItem';
import { fieldOf } from '../form/parameterValues';

const MAY_BE_PAID =
	'The service may have accepted the request, so it was not retried. Check your account before you run it again: it may be billed twice.';

/** What a user sees of a failure, the same in an error item and in a thrown error. */
interface Failure {
	message: string;
	/** What to do next, then the service's own words. */
	description: string;
	code: string;
	/** Null if the failure is not a response of the service. */
	http_status: number | null;
	[field: string]: unknown;
}

/** Everything a node reports of an error: enough to report it again in another process. */
export interface ErrorReport {
	/** As in an error item. */
	failure: Failure;
	/** Thrown as n8n's NodeApiError. */
	isApiError: boolean;
}

/** What an error item tells of its task. */
export interface TaskState {
	task_id: string;
	status: string;
	url: string | null;
}

/** An error that is a report already, such as that of an earlier run. */
export class ReportedError extends Error {
	constructor(readonly report: ErrorReport) {
		super(report.failure.message);
	}
}

/** Max Billable Requests does not allow a request: nothing was sent. */
export class SpendingLimitError extends Error {
	readonly report: ErrorReport;

	constructor(message: string, advice: string) {
		super(message);
		const code: NodeCode = 'spending_limit';
		const failure = { message, description: advice, code, http_status: null };
		this.report = { failure, isApiError: false };
	}
}

/**
 * The error of a try together with the error of an earlier try that may be billed. The last error alone would hide that: its
 * try was not sent, or was refused.
 */
export function afterEarlierTry(error: unknown, earlier: ErrorReport | undefined): unknown {
	if (earlier === undefined || error instanceof CancelledError) return error;
	const { message, description, may_have_been_accepted, partial_text } = earlier.failure;
	const mayBeBilled = may_have_been_accepted === true || partial_text !== undefined;
	if (!mayBeBilled && !(error instanceof SpendingLimitError)) return error;
	const { failure, isApiError } = reportError(error);
	const both = `${failure.description} In the try before: ${withFullStop(message)} ${description}`;
	const billed = may_have_been_accepted === true && { may_have_been_accepted };
	return new ReportedError({
		failure: { ...earlier.failure, ...failure, ...billed, description: both },
		isApiError,
	});
}

/**
 * @param task set where a task was accepted, whatever became of its poll or its download
 * @param advice follows the error's own advice
 */
export function reportError(error: unknown, task?: TaskState, advice?: string): ErrorReport {
	if (error instanceof ReportedError || error instanceof SpendingLimitError) return error.report;
	const isApiError =
		error instanceof ServiceError ||
		error instanceof NoResponseError ||
		error instanceof TaskFailedError;
	const failure =
		error instanceof GatewayError
			? describeGatewayError(error, task !== undefined, advice)
			: describeN8nError(error);
	return { failure: { ...failure, ...task }, isApiError };
}

/** The output of a failed item: only this shape takes n8n's error branch. */
export function errorItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const failure = { ...reportError(error).failure, item: itemIndex };
	const pairedItem = { item: itemIndex };
	const json = { error: failure as unknown as IDataObject };
	return isPaired(context, pairedItem) ? { json, pairedItem } : { json };
}

/**
 * Behind a pinned node without run data, n8n cannot resolve the pairing of an error item: it throws, and passes the node's
 * input on as its output, so that everything paid for is lost (n8n-io/n8n#37407).
 */
function isPaired(context: IExecuteFunctions, pairedItem: { item: number }): boolean {
	if (context.getNode().onError !== 'continueErrorOutput') return true;
	try {
		const source = context.getInputSourceData();
		const { $getPairedItem } = context.getWorkflowDataProxy(pairedItem.item);
		$getPairedItem(source.previousNode, source, pairedItem);
		return true;
	} catch {
		return false;
	}
}

/**
 * The error that a node throws: it names the item, and keeps the service's own words in the description. An agent reads
 * only the message of its tool, and the reader of a stream gets only the description: there, each says everything.
 * @param itemIndex undefined where n8n does not tell which item the error is about
 */
export function nodeError(
	context: IExecuteFunctions | ISupplyDataFunctions,
	error: unknown,
	itemIndex?: number,
): NodeError {
	const node = context.getNode();
	const { failure, isApiError } = reportError(error);
	const { message, http_status } = failure;
	// A chat window shows the line break as a space.
	const all = `${withFullStop(message)}\n${failure.description}`;
	const streams = (context as Partial<IExecuteFunctions>).isStreaming?.();
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	const described = {
		message: logMessage(runsAsTool(node) ? all : `${message}${item}`),
		description: streams ? all : failure.description,
		...(itemIndex !== undefined && { itemIndex }),
	};
	if (!isApiError) {
		const made = new NodeOperationError(node, described.message, described);
		if (!(error instanceof ExpressionFailure)) return made;
		// n8n's editor names the field and the node by this context.
		const context = fieldOf(error.cause, 'context');
		return Object.assign(made, {
			context: { ...Object(context), ...made.context, parameter: error.parameter },
		});
	}
	const httpCode = http_status === null ? {} : { httpCode: String(http_status) };
	return new NodeApiError(node, { message: described.message }, { ...described, ...httpCode });
}

/** A message as a sentence that another one follows. */
export function withFullStop(message: string): string {
	return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** What happened, what to do and what the service says, for places of the editor that show one text alone. */
export function errorSummary(error: unknown): string {
	const { message, description } = reportError(error).failure;
	return `${withFullStop(message)} ${description}`;
}

function describeGatewayError(error: GatewayError, isOfTask: boolean, advice?: string): Failure {
	const { code, sent, mayHaveBeenAccepted, quote, technical, partialText } = error;
	const service = error instanceof ServiceError ? error : undefined;
	const tellsWhetherAccepted =
		!isOfTask && (error instanceof NoResponseError || mayHaveBeenAccepted);
	return {
		message: error.message,
		// In one line: an item shows a line break as \n, and the editor as a space.
		description: [
			error.advice,
			advice,
			sent > 1 && `It was tried ${sent} times.`,
			mayHaveBeenAccepted && MAY_BE_PAID,
			quote,
			technical && `Technical detail: ${technical}`,
		]
			.filter(Boolean)
			.join(' '),
		code,
		http_status: error instanceof UrlRefusedError ? error.status : (service?.status ?? null),
		...present({
			parameter: error instanceof InvalidInputError ? error.parameter : undefined,
			reason: error instanceof TaskFailedError ? error.reason : service?.reason,
			retry_after: service?.retryAfterMs && Math.ceil(service.retryAfterMs / 1000),
			rate_limit: service?.rateLimit,
			may_have_been_accepted: tellsWhetherAccepted ? mayHaveBeenAccepted : undefined,
			partial_text: partialText,
		}),
	};
}

/** An error of n8n itself, such as an expression that cannot be resolved. */
function describeN8nError(error: unknown): Failure {
	const isExpression = error instanceof ExpressionFailure;
	const cause = isExpression ? error.cause : error;
	const description = fieldOf(cause, 'description');
	const node = fieldOf(fieldOf(cause, 'context'), 'nodeCause');
	const place =
		isExpression &&
		`n8n could not evaluate the expression in ${error.label}${typeof node === 'string' ? `, which refers to the node "${node}"` : ''}.`;
	const advice = !isExpression && 'Check the parameters and the credential of the node.';
	return {
		message: cause instanceof Error ? cause.message : String(cause),
		description: [place, typeof description === 'string' ? description : advice]
			.filter(Boolean)
			.join(' '),
		code: 'node_error' satisfies NodeCode,
		http_status: null,
		...(isExpression && { parameter: error.parameter }),
	};
}
