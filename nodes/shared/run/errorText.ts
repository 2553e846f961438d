import {
	type IDataObject,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INodeExecutionData,
	type ISupplyDataFunctions,
	NodeApiError,
	NodeError,
	NodeOperationError,
} from 'n8n-workflow';
import {
	type ErrorRecord,
	GatewayError,
	isOwn,
	logMessage,
	mayBeBilled,
	type NodeCode,
	plainText,
} from '../../../gateway';
import { runsAsTool } from './runsAsTool';
import { present } from '../output/item';
import { fieldOf } from '../form/parameterValues';

const MAY_BE_PAID =
	'The service may have accepted the request, so it was not retried. Check your account before you run it again: it may be billed twice.';

/** What an error item tells of its task. */
export type TaskState = NonNullable<ErrorRecord['task']>;

/**
 * The record of any error: of the gateway, or of n8n itself.
 * @param task set where a task was accepted, whatever became of its poll or its download
 * @param advice follows the error's own advice
 */
export function recordOf(error: unknown, task?: TaskState, advice?: string): ErrorRecord {
	const record = error instanceof GatewayError ? error.record : ofN8n(error);
	const both = [record.advice, advice].filter(Boolean).join(' ');
	return { ...record, advice: both, ...(task && { task }) };
}

function ofN8n(error: unknown): ErrorRecord {
	const description = fieldOf(error, 'description');
	const message = error instanceof Error ? error.message : plainText(error);
	const check = 'Check the parameters and the credential of the node.';
	const advice = typeof description === 'string' ? description : check;
	return { message, advice, code: 'node_error' satisfies NodeCode };
}

/**
 * The failure of a try together with that of an earlier try that may be billed. The last failure alone would hide that: its
 * try was not sent, or was refused.
 */
export function afterEarlierTry(
	record: ErrorRecord,
	earlier: ErrorRecord | undefined,
): ErrorRecord {
	if (earlier === undefined || isOwn(record, 'cancelled')) return record;
	return mayBeBilled(earlier) || isOwn(record, 'spending_limit') ? { ...record, earlier } : record;
}

/** The fields that an error item and n8n's error have. */
interface Shown extends IDataObject {
	message: string;
	description: string;
	code: string;
	/** Null if the failure is not a response of the service. */
	http_status: number | null;
}

/** What a user sees of a failure, the same in an error item and in a thrown error. */
function shown(record: ErrorRecord): Shown {
	const { message, code, http_status = null, task, earlier } = record;
	const { parameter, reason, retry_after, rate_limit, partial_text, task_error } = record;
	const before = earlier && shown(earlier);
	const accepted =
		record.may_have_been_accepted || (task ? undefined : record.may_have_been_accepted);
	return {
		...before,
		...{ message, description: descriptionOf(record), code, http_status },
		...present({ parameter, reason, retry_after, rate_limit }),
		...present({ may_have_been_accepted: before?.may_have_been_accepted || accepted }),
		...present({ partial_text, ...task, task_error }),
	};
}

/**
 * What to do, then the service's own words.
 * @param separator of its lines: an item shows a line break as \n
 */
function descriptionOf(record: ErrorRecord, separator = ' '): string {
	const { advice, sent = 1, words, speaker = 'The service', technical, earlier, task } = record;
	const remedy = [
		advice,
		sent > 1 && `It was tried ${sent} times.`,
		// The advice about a task tells what it may have cost.
		!task && record.may_have_been_accepted && MAY_BE_PAID,
	];
	const lines = [
		remedy.filter(Boolean).join(' '),
		words && `${speaker} says: ${words}`,
		technical && `Technical detail: ${technical}`,
		earlier && `In the try before: ${errorSummary(earlier)}`,
	];
	return lines.filter(Boolean).join(separator);
}

/** The output of a failed item: only this shape takes n8n's error branch. */
export function errorItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const failure = { ...shown(recordOf(error)), item: itemIndex };
	const pairedItem = { item: itemIndex };
	const json = { error: failure };
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
 * The error of a node, before {@link forEditor}: it names the item, and keeps the service's own words in the description. An agent
 * reads only the message of its tool, and the reader of a stream gets only the description: there, each says everything.
 * @param itemIndex undefined where n8n does not tell which item the error is about
 */
export function nodeError(
	context: IExecuteFunctions | ISupplyDataFunctions,
	error: unknown,
	itemIndex?: number,
): NodeError {
	const node = context.getNode();
	const { isApiError, n8nContext, http_status, ...record } = recordOf(error);
	const { message } = record;
	// A chat window shows the line break as a space.
	const all = `${withFullStop(message)}\n${descriptionOf(record)}`;
	const streams = (context as Partial<IExecuteFunctions>).isStreaming?.();
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	const described = {
		message: logMessage(runsAsTool(node) ? all : `${message}${item}`),
		description: streams ? all : descriptionOf(record, '\n'),
		...(itemIndex !== undefined && { itemIndex }),
	};
	if (isApiError) {
		const httpCode = http_status === undefined ? {} : { httpCode: String(http_status) };
		return new NodeApiError(node, { message: described.message }, { ...described, ...httpCode });
	}
	const made = new NodeOperationError(node, described.message, described);
	const { parameter } = record;
	// n8n's editor names the field and the node of an expression by this context.
	if (n8nContext) Object.assign(made, { context: { ...n8nContext, ...made.context, parameter } });
	return made;
}

/**
 * The last step of what is thrown to n8n: its editor shows the description of an error, and a toast its message, as HTML, and
 * lets links over the whole page through. Of what a form or a service says, no tag is left. The lines of the description become
 * lines of the editor. `&` stays, since signed URLs are copied from there. Agents and streams get the text as it is.
 */
export function forEditor(
	context: IExecuteFunctions | ISupplyDataFunctions | ILoadOptionsFunctions,
	error: NodeError,
): NodeError {
	const streams = (context as Partial<IExecuteFunctions>).isStreaming?.();
	if (streams || runsAsTool(context.getNode())) return error;
	error.message = withoutTags(error.message);
	if (typeof error.description === 'string')
		error.description = withoutTags(error.description).replaceAll('\n', '<br>\n');
	return error;
}

function withoutTags(text: string): string {
	return text.replace(/<(?=[a-z/!])/gi, '&lt;');
}

/** A message as a sentence that another one follows. */
export function withFullStop(message: string): string {
	return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** What happened, what to do and what the service says, for places that show one text alone. */
export function errorSummary(record: ErrorRecord): string {
	return `${withFullStop(record.message)} ${descriptionOf(record)}`;
}
