import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { asSent, type ErrorRecord, GatewayError } from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import { present, withInputFields } from '../../shared/output/item';
import { outputOf, type Settled } from '../../shared/run/outcomes';
import { fieldOf } from '../../shared/form/parameterValues';
import { recordOf } from '../../shared/run/errorText';
import { generatedFields } from '../operations';
import { showVideoHints } from './hints';
import { stateOf } from './log';
import type { BookedRun } from './plan';

/** Every field of an item that is not simplified. */
const FULL_FIELDS = [
	...['id', 'object', 'status', 'progress', 'url', 'b64_json', 'revised_prompt', 'metadata'],
	...['created_at', 'completed_at', 'task_id', 'task_error', 'request'],
];

/**
 * The fields of a task for the next node, without those that the service did not send: first what a user looks for, last what
 * is long, which in n8n's table pushes the rest out of sight. Times are the service's seconds, as in n8n's nodes for Stripe
 * and Slack: an expression makes a date of them.
 */
function simplifiedTask({ latest, submitted, request = {} }: PaidTask): IDataObject {
	const { status, progress, url, metadata, created_at, completed_at } = latest;
	const { duration, size, fps, format } = metadata ?? {};
	return present({
		status,
		url: url ?? null,
		task_id: latest.id,
		progress,
		duration,
		size,
		fps,
		format,
		created_at: created_at ?? request.created,
		completed_at,
		model: request.model,
		request_id: request.id,
		revised_prompt: latest.revised_prompt ?? submitted?.revised_prompt,
	} satisfies Record<keyof typeof generatedFields, unknown>);
}

/** The task as the service defines it, plus `task_id`. An `error` belongs to error items alone. */
function fullTask({ latest, submitted }: PaidTask): IDataObject {
	const sent = { ...(submitted && asSent(submitted)), ...present(asSent(latest)) };
	const { error, ...fields } = present({ ...sent, task_id: latest.id });
	return error ? { ...fields, task_error: error } : fields;
}

/** With the binary mode "combined" of a workflow, n8n puts files into this field of an item, and fails if that is no object. */
const FILES = '_files';

/**
 * The items of a run, read from the book, and the hints about them.
 * @param cause why the node cannot go on: the error of each open task, and of each item without a task
 */
export function itemsOf(run: BookedRun, cause?: unknown): INodeExecutionData[] {
	const { context, book } = run;
	const entries = cause === undefined ? [...book.current.values()] : book.entries;
	const ofItems = context.getInputData().map((): Settled[] => []);
	/** What hints say of the items, one for each. */
	const states: string[] = [];
	for (const entry of entries) ofItems[entry.item]?.push(...resultsOf(run, states, entry, cause));
	for (const [item, results] of ofItems.entries())
		if (cause !== undefined && results.length === 0) results.push(failedItem(run, cause, item));
	const items = outputOf(context, ofItems);
	try {
		showVideoHints(run, states, items, entries);
	} catch {
		// The output is paid for: a hint that fails must not cost it.
	}
	return items;
}

/** What came of the tasks of an item. The error of the item is that of its open tasks, or of what has no task. */
function resultsOf(run: BookedRun, states: string[], entry: BookEntry, ofRun: unknown): Settled[] {
	const tasks = liveTasks(entry);
	const ofItem = entry.error && new GatewayError(entry.error);
	const cause = ofRun ?? ofItem;
	const results = tasks.flatMap((task): Settled[] => {
		if (task.error !== undefined) return [{ error: failedTask(entry, task, task.error) }];
		const fail = (error: unknown) => [{ error: new GatewayError(recordOf(error, stateOf(task))) }];
		if (task.state !== 'done') return cause === undefined ? [] : fail(cause);
		try {
			return [{ result: itemOfTask(run, entry, task, states) }];
		} catch (error) {
			return fail(error);
		}
	});
	if (ofItem && tasks.every(({ state }) => state !== 'open'))
		results.push(failedItem(run, ofItem, entry.item));
	return results;
}

/** What became of an item without a task. Of Get and Wait, its error keeps the ID that the item came with. */
function failedItem({ context, submits }: BookedRun, error: unknown, item: number) {
	const json: unknown = context.getInputData()[item]?.json;
	const id = fieldOf(json, 'task_id') ?? fieldOf(fieldOf(json, 'error'), 'task_id');
	const isKept = !submits && typeof id === 'string' && id !== '';
	return { error: isKept ? new GatewayError(recordOf(error, { task_id: id })) : error };
}

/**
 * The item of a task. The fields of its input item are added here and kept nowhere.
 * @param states get what a hint says of it
 */
export function itemOfTask(
	{ context }: BookedRun,
	{ item, waitOptions, outputOptions }: BookEntry,
	task: PaidTask,
	states: string[] = [],
): INodeExecutionData {
	const { simplify = true, includeInputFields, binaryProperty = 'data' } = outputOptions ?? {};
	const own = simplify ? simplifiedTask(task) : fullTask(task);
	// A task that was just submitted, and is not waited for, has little more than its request.
	if (!simplify && !waitOptions && task.request) own.request = task.request as IDataObject;
	// Every field that an item of a video may have belongs to the node, also where this item lacks it.
	const names = simplify ? Object.keys(generatedFields) : FULL_FIELDS;
	const { [FILES]: files } = context.getInputData()[item]?.json ?? {};
	const hasRoom = typeof files === 'object' && !Array.isArray(files);
	const ofNode = task.file && !hasRoom ? [...names, FILES] : names;
	const json = includeInputFields ? withInputFields(context, item, own, ofNode, states) : own;
	const binary = task.file && { [binaryProperty]: task.file };
	return { json, pairedItem: { item }, ...(binary && { binary }) };
}

/** With Simplify off, an error item has what the service said of the task, as it was sent. */
function failedTask({ outputOptions }: BookEntry, { latest }: PaidTask, record: ErrorRecord) {
	const isFull = outputOptions?.simplify === false && latest.error != null;
	return new GatewayError(isFull ? { ...record, task_error: latest.error } : record);
}
