import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { CancelledError } from '../../../gateway';
import { asHtml, hintAboutFailures, hintAfterRun } from '../output/hints';
import { namedAsInForm } from '../form/parameterLabels';
import { FormReader } from '../form/formReader';
import { readRequestOptions, type RequestOptions } from '../form/sharedProperties';
import { throwIfCancelled } from './cancel';
import { openGateways, type Service } from './connect';
import { errorItem, nodeError } from './errorText';
import { inTurns } from './turns';

/**
 * Runs a node that has items: connects it to the service before anything else is done with them.
 * @param properties of the node
 * @param fail makes the output of a node that cannot connect. Default: all items fail.
 * @throws NodeOperationError when the execution was cancelled or, with On Error "Stop Workflow", when it cannot connect
 */
export async function withService<Output>(
	context: IExecuteFunctions,
	properties: INodeProperties[],
	work: (service: Service) => Promise<Output>,
	fail = (errorOf: ErrorOf): INodeExecutionData[] => failAll(context, errorOf),
): Promise<Output | INodeExecutionData[]> {
	// After a cancel, Retry On Fail still calls execute again.
	throwIfCancelled(context);
	if (context.getInputData().length === 0) return [];
	const form = new FormReader(context);
	let options: RequestOptions;
	try {
		options = readRequestOptions(form.collection('requestOptions', 0));
	} catch (error) {
		return fail(() => namedAsInForm(error, properties));
	}
	const { gateways, errors } = await openGateways(context, options);
	if (gateways.size === 0) return fail((item) => namedAsInForm(errors.get(item), properties));
	const gatewayOf = (item: number) => {
		const gateway = gateways.get(item);
		if (gateway) return gateway;
		throw namedAsInForm(errors.get(item), properties);
	};
	const signal = context.getExecutionCancelSignal?.();
	const { maxConcurrency } = options;
	return await work({ context, properties, gatewayOf, form, signal, maxConcurrency });
}

/** The error of each item. */
export type ErrorOf = (item: number) => unknown;

/** A result that comes later, while its item no longer counts as in flight. */
export interface Pending<Result> {
	pending: Promise<Result>;
}

/** What a node does with each item. */
export interface ItemWork<Form, Prepared, Result> {
	/** Reads and checks the parameters of one item. */
	read: (itemIndex: number) => Form;
	/** Prepares an item, once all are read, and before any request of any item is sent. */
	prepare: (form: Form, itemIndex: number) => Prepared;
	/** Once all items are prepared: why none is to be sent, and the item that it is about. */
	refusal?: () => { item: number; error: unknown } | undefined;
	/** Does the work of one item. */
	work: (prepared: Prepared, itemIndex: number) => Promise<Result | Pending<Result>>;
}

/** What became of work that was started. */
export type Settled<Result> = { result: Result } | { error: unknown };

/** What became of an item; undefined where it was not started. */
export type Outcome<Result> = Settled<Result> | undefined;

/**
 * Does a node's work for all its items: bad input first, before anything is paid for; then at most
 * `maxConcurrency` items at once; the output in input order whatever finishes first.
 *
 * On Error "Stop Workflow": after the first failure no further item starts, those in flight are finished, since
 * they are paid for, and the failure of the first failed item is thrown. With a "Continue" setting a failed
 * item becomes an error item. A cancel ends everything at once.
 */
export async function eachItem<Form, Prepared>(
	service: Service,
	itemWork: ItemWork<Form, Prepared, INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const outcomes = await outcomesOf(service, itemWork);
	const results = outcomes.map((outcome) => {
		if (outcome === undefined) return [];
		return 'error' in outcome ? [outcome] : outcome.result.map((result) => ({ result }));
	});
	return outputOf(service.context, results);
}

/** The first half of {@link eachItem}: does the work. */
export async function outcomesOf<Form, Prepared, Result extends object>(
	service: Service,
	itemWork: ItemWork<Form, Prepared, Result>,
): Promise<Array<Outcome<Result>>> {
	const { context, maxConcurrency } = service;
	const { length } = context.getInputData();
	const outcomes = new Array<Outcome<Result>>(length).fill(undefined);
	const continues = context.continueOnFail();
	const { prepared, errors } = await prepareAll(service, itemWork);
	for (const [itemIndex, error] of errors) outcomes[itemIndex] = { error };
	const { work } = itemWork;

	let stopped = false;
	const pending: Array<Promise<unknown>> = [];
	const keep = async (itemIndex: number, working: Promise<Result | Pending<Result>>) => {
		try {
			const result = await working;
			if ('pending' in result) pending.push(keep(itemIndex, result.pending));
			else outcomes[itemIndex] = { result };
		} catch (error) {
			outcomes[itemIndex] = { error };
			stopped ||= !continues || error instanceof CancelledError;
		}
	};
	const queue = prepared.entries();
	const worker = async () => {
		for (const [itemIndex, input] of queue) {
			if (stopped) return;
			prepared.delete(itemIndex);
			await keep(itemIndex, work(input, itemIndex));
		}
	};
	await Promise.all(Array.from({ length: Math.min(maxConcurrency, length) }, worker));
	// A pending result may add another one to the list.
	for (const rest of pending) await rest;
	throwIfCancelled(context, outcomes);
	return outcomes;
}

/**
 * Reads all items, then prepares them.
 * @throws NodeOperationError with On Error "Stop Workflow": the failure of the first item that fails
 */
async function prepareAll<Form, Prepared>(
	{ context, properties, form, gatewayOf }: Service,
	{ read, prepare, refusal }: Omit<ItemWork<Form, Prepared, object>, 'work'>,
) {
	const continues = context.continueOnFail();
	const errors = new Map<number, unknown>();
	const forms = new Map<number, Form>();
	const prepared = new Map<number, Prepared>();
	const unlessFailed = (itemIndex: number, action: () => void) => {
		if (errors.has(itemIndex) || (!continues && errors.size > 0)) return;
		try {
			action();
		} catch (error) {
			errors.set(itemIndex, namedAsInForm(error, properties));
		}
	};
	const all = context.getInputData().keys();
	await inTurns(context, all, (itemIndex) =>
		unlessFailed(itemIndex, () => {
			// An item whose credential is invalid fails before anything is sent.
			gatewayOf(itemIndex);
			const known = form.isFixed ? forms.get(0) : undefined;
			forms.set(itemIndex, known ?? read(itemIndex));
		}),
	);
	const { refusalOfAll } = form;
	await inTurns(context, forms, ([itemIndex, each]) =>
		unlessFailed(itemIndex, () => {
			if (refusalOfAll) throw refusalOfAll;
			prepared.set(itemIndex, prepare(each, itemIndex));
		}),
	);
	const refused = errors.size === 0 ? refusal?.() : undefined;
	if (refused) errors.set(refused.item, refused.error);
	const first = Math.min(...errors.keys());
	if (!continues && errors.size > 0) throw nodeError(context, errors.get(first), first);
	for (const hint of form.hints(errors)) hintAfterRun(context, asHtml(hint));
	return { prepared, errors };
}

/**
 * The second half of {@link eachItem}: the output.
 * @param results of each item. With On Error "Stop Workflow" the first failure is thrown, with a "Continue" setting each
 * failure becomes an error item.
 */
export function outputOf(
	context: IExecuteFunctions,
	results: Array<Array<Settled<INodeExecutionData>>>,
): INodeExecutionData[] {
	const continues = context.continueOnFail();
	const items = results.flatMap((ofItem, itemIndex) =>
		ofItem.map((one) => {
			if ('result' in one) return one.result;
			if (!continues) throw nodeError(context, one.error, itemIndex);
			return errorItem(context, one.error, itemIndex);
		}),
	);
	if (continues) hintAboutFailures(context, items);
	return items;
}

/** The output of a node whose items all fail. */
export function failAll(context: IExecuteFunctions, errorOf: ErrorOf): INodeExecutionData[] {
	return outputOf(
		context,
		context.getInputData().map((_, item) => [{ error: errorOf(item) }]),
	);
}
