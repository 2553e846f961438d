import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	NodeError,
} from 'n8n-workflow';
import { CancelledError, GatewayError } from '../../../gateway';
import { hintAfterRun } from '../output/hints';
import { capitalized, itemsNamed } from '../form/itemsNamed';
import { namedAsInForm } from '../form/parameterLabels';
import { connect, type Service } from './connect';
import { forEditor, nodeError, recordOf } from './errorText';
import { outputOf } from './outcomes';
import { inTurns, throwIfCancelled } from './turns';

/** What a node adds to a run with items. */
export interface NodeRun<Form, Prepared, Output> {
	/** Of the node. */
	properties: INodeProperties[];
	/** What it does with its items, once it is connected. */
	connected: (service: Service) => ItemWork<Form, Prepared, Output>;
	/** The output of a node that cannot go on. Default: all items fail. */
	fail?: (cause: unknown) => INodeExecutionData[];
	/** Adds to the error that the node throws what is to be said of the run. */
	complete?: (error: NodeError) => void;
	/** The run is over: with an output, or undefined with an error that it throws. */
	end?: (output: Output | INodeExecutionData[] | undefined) => void;
}

/** What a node does with its items, in this order. */
export interface ItemWork<Form, Prepared, Output> {
	/** Whether an earlier run has begun the work of all items: this run makes the output alone. */
	isBegun?: boolean;
	/** Reads and checks the parameters of one item. */
	read: (item: number) => Form;
	/** Prepares an item, once all are read, and before any request of any item is sent. */
	prepare: (form: Form, item: number) => Prepared;
	/** Once all items are prepared: why none is to be sent, and the item that it is about. */
	refusal?: () => { item: number; error: unknown } | undefined;
	/** Does the work of one item. What is `pending` comes later, while the item no longer counts as in flight. */
	work: (prepared: Prepared, item: number) => Promise<void | { pending: Promise<unknown> }>;
	/** Where it is written which items failed: nowhere else. */
	outcomes: {
		fail: (item: number, error: unknown) => void;
		hasFailed: (item: number) => boolean;
	};
	/** Makes the output. */
	output: () => Output | Promise<Output>;
}

/**
 * Runs a node that has items: bad input first, before anything is paid for; then at most Max Concurrency items at once; the
 * output in input order whatever finishes first.
 *
 * On Error "Stop Workflow": after the first failure no further item starts, those in flight are finished, since they are paid
 * for, and the failure of the first failed item is thrown. With a "Continue" setting a failed item becomes an error item. A
 * cancel ends everything at once.
 * @param connectTo finds the service of each item
 */
export async function runItems<Form, Prepared, Output>(
	context: IExecuteFunctions,
	nodeRun: NodeRun<Form, Prepared, Output>,
	connectTo = connect,
): Promise<Output | INodeExecutionData[]> {
	const { properties, connected, end } = nodeRun;
	let output: Output | INodeExecutionData[] | undefined;
	try {
		// After a cancel, Retry On Fail still calls execute again.
		throwIfCancelled(context);
		if (context.getInputData().length === 0) return [];
		const service = await connectTo(context, properties);
		const itemWork = connected(service);
		const { work, outcomes } = itemWork;
		const prepared = await prepareAll(service, itemWork);
		let stopped = false;
		let cancel: [error: unknown, item: number] | undefined;
		const finish = async <Result>(item: number, working: Promise<Result>) => {
			try {
				return await working;
			} catch (error) {
				outcomes.fail(item, error);
				if (!(error instanceof CancelledError)) return undefined;
				stopped = true;
				if (error.record.may_have_been_accepted) cancel ??= [error, item];
				return undefined;
			} finally {
				stopped ||= !context.continueOnFail() && outcomes.hasFailed(item);
			}
		};
		const pending: Array<Promise<unknown>> = [];
		const queue = prepared.entries();
		const worker = async () => {
			for (const [item, input] of queue) {
				if (stopped) return;
				prepared.delete(item);
				const later = await finish(item, work(input, item));
				if (later) pending.push(finish(item, later.pending));
			}
		};
		const workers = Math.min(service.maxConcurrency, prepared.size);
		await Promise.all(Array.from({ length: workers }, worker));
		await Promise.all(pending);
		throwIfCancelled(context, cancel);
		output = await itemWork.output();
	} catch (error) {
		output = await failRun(context, nodeRun, error);
	} finally {
		end?.(output);
	}
	return output;
}

/**
 * The output of a run that cannot go on.
 * @throws NodeError as n8n shows it
 */
async function failRun(
	context: IExecuteFunctions,
	{
		properties,
		fail,
		complete,
	}: Pick<NodeRun<never, never, never>, 'properties' | 'fail' | 'complete'>,
	error: unknown,
): Promise<INodeExecutionData[]> {
	try {
		if (error instanceof NodeError) throw error;
		// n8n would hand on the input of a node that continues on an error.
		const cause = namedAsInForm(error, properties);
		const items = context.getInputData();
		return fail?.(cause) ?? outputOf(context, Array(items.length).fill([{ error: cause }]));
	} catch (thrown) {
		if (!(thrown instanceof NodeError)) return await Promise.reject(thrown);
		complete?.(thrown);
		throw forEditor(context, thrown);
	}
}

/**
 * Reads all items, then prepares them.
 * @throws NodeOperationError with On Error "Stop Workflow": the failure of the first item that fails, which names the others
 * that cannot be read
 */
async function prepareAll<Form, Prepared>(
	{ context, properties, form, gatewayOf }: Service,
	{ isBegun, read, prepare, refusal, outcomes }: ItemWork<Form, Prepared, unknown>,
): Promise<Map<number, Prepared>> {
	const continues = context.continueOnFail();
	const errors = new Map<number, unknown>();
	const throwFirst = () => {
		for (const [item, error] of continues ? [] : errors)
			throw nodeError(context, withOthers(error, errors, context.getInputData().length), item);
	};
	/** Makes something for each item, and ends the run if one fails. */
	const attempt = async <Made>(items: Iterable<number>, make: (item: number) => Made) => {
		const made = new Map<number, Made>();
		const attemptOne = (item: number) => {
			try {
				made.set(item, make(item));
			} catch (error) {
				errors.set(item, namedAsInForm(error, properties));
			}
		};
		await inTurns(context, items, attemptOne);
		throwFirst();
		return made;
	};
	let ofAll: Form | undefined;
	const forms = await attempt(isBegun ? [] : context.getInputData().keys(), (item) => {
		// An item whose credential is invalid fails before anything is sent.
		gatewayOf(item);
		const ofItem = ofAll ?? read(item);
		if (form.isFixed) ofAll = ofItem;
		return ofItem;
	});
	const { refusalOfAll } = form.gaps;
	const prepared = await attempt(forms.keys(), (item) => {
		if (refusalOfAll) throw refusalOfAll;
		return prepare(forms.get(item) as Form, item);
	});
	const refused = errors.size === 0 ? refusal?.() : undefined;
	if (refused) errors.set(refused.item, refused.error);
	throwFirst();
	for (const hint of form.gaps.hints(errors)) hintAfterRun(context, hint);
	for (const [item, error] of errors) outcomes.fail(item, error);
	return prepared;
}

/** The first error with the other items that fail, whose errors would come one after the other: none if all fail for one reason. */
function withOthers(first: unknown, errors: Map<number, unknown>, items: number): unknown {
	const [, ...others] = errors.keys();
	const reasons = new Set([...errors.values()].map((error) => recordOf(error).message));
	if (others.length === 0 || (errors.size === items && reasons.size === 1)) return first;
	const named = capitalized(itemsNamed(others));
	const advice = `${named} ${others.length === 1 ? 'fails' : 'fail'}, too.`;
	return new GatewayError(recordOf(first, undefined, advice));
}
