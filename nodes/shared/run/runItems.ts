import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	NodeError,
} from 'n8n-workflow';
import { CancelledError, GatewayError } from '../../../gateway';
import { asHtml, hintAfterRun } from '../output/hints';
import { capitalized, itemsNamed } from '../form/itemsNamed';
import { namedAsInForm } from '../form/parameterLabels';
import { throwIfCancelled } from './cancel';
import { connect, type Service } from './connect';
import { nodeError, recordOf } from './errorText';
import { type ErrorOf, failAll, type Outcome, type Pending } from './outcomes';
import { inTurns } from './turns';

/** What a node adds to a run with items. */
export interface NodeRun<Form, Prepared, Result extends object, Output> {
	/** Of the node. */
	properties: INodeProperties[];
	/** What it does with its items, once it is connected. */
	connected: (service: Service) => ItemWork<Form, Prepared, Result, Output>;
	/** The output of a node that cannot go on. Default: all items fail. */
	fail?: (errorOf: ErrorOf) => INodeExecutionData[];
	/** The run of a connected node is over: with an output, or undefined with an error that it throws. */
	end?: (output: Output | INodeExecutionData[] | undefined) => void;
}

/** What a node does with its items, in this order. */
export interface ItemWork<Form, Prepared, Result extends object, Output> {
	/** Whether an earlier run has begun the work of all items: this run makes the output alone. */
	isBegun?: boolean;
	/** Reads and checks the parameters of one item. */
	read: (item: number) => Form;
	/** Prepares an item, once all are read, and before any request of any item is sent. */
	prepare: (form: Form, item: number) => Prepared;
	/** Once all items are prepared: why none is to be sent, and the item that it is about. */
	refusal?: () => { item: number; error: unknown } | undefined;
	/** Does the work of one item. */
	work: (prepared: Prepared, item: number) => Promise<Result | Pending<Result>>;
	/** Makes the output of what became of the items. */
	output: (outcomes: Array<Outcome<Result>>) => Output | Promise<Output>;
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
export async function runItems<Form, Prepared, Result extends object, Output>(
	context: IExecuteFunctions,
	run: NodeRun<Form, Prepared, Result, Output>,
	connectTo = connect,
): Promise<Output | INodeExecutionData[]> {
	const { properties, fail = (errorOf: ErrorOf) => failAll(context, errorOf), end } = run;
	// After a cancel, Retry On Fail still calls execute again.
	throwIfCancelled(context);
	if (context.getInputData().length === 0) return [];

	const service = await connectTo(context, properties);
	if ('errorOf' in service) return fail(service.errorOf);
	try {
		const itemWork = run.connected(service);
		const { outcomes, prepared } = await prepareAll(service, itemWork);
		const continues = context.continueOnFail();
		let stopped = false;
		const pending: Array<Promise<void>> = [];
		const failed = (item: number, error: unknown) => {
			outcomes[item] = { error };
			stopped ||= !continues || error instanceof CancelledError;
		};
		const done = (item: number, result: Result) => {
			outcomes[item] = { result };
		};
		const queue = prepared.entries();
		const worker = async () => {
			for (const [item, input] of queue) {
				if (stopped) return;
				prepared.delete(item);
				try {
					const result = await itemWork.work(input, item);
					if (!('pending' in result)) done(item, result);
					else
						pending.push(
							result.pending.then(
								(later) => done(item, later),
								(error: unknown) => failed(item, error),
							),
						);
				} catch (error) {
					failed(item, error);
				}
			}
		};
		const workers = Math.min(service.maxConcurrency, prepared.size);
		await Promise.all(Array.from({ length: workers }, worker));
		await Promise.all(pending);
		throwIfCancelled(context, outcomes);

		const output = await itemWork.output(outcomes);
		end?.(output);
		return output;
	} catch (error) {
		if (error instanceof NodeError) {
			end?.(undefined);
			return await Promise.reject(error);
		}
		// n8n would hand on the input of a node that continues on an error.
		const output = fail(() => error);
		end?.(output);
		return output;
	}
}

/**
 * Reads all items, then prepares them.
 * @throws NodeOperationError with On Error "Stop Workflow": the failure of the first item that fails, which names the others
 * that cannot be read
 */
async function prepareAll<Form, Prepared, Result extends object>(
	{ context, properties, form, gatewayOf }: Service,
	{ isBegun, read, prepare, refusal }: ItemWork<Form, Prepared, Result, unknown>,
) {
	const continues = context.continueOnFail();
	const items = isBegun ? [] : [...context.getInputData().keys()];
	const outcomes = new Array<Outcome<Result>>(items.length).fill(undefined);
	const errors = new Map<number, unknown>();
	const forms = new Map<number, Form>();
	const prepared = new Map<number, Prepared>();
	const attempt = (item: number, action: () => void) => {
		try {
			action();
		} catch (error) {
			errors.set(item, namedAsInForm(error, properties));
		}
	};
	const readItem = (item: number) =>
		attempt(item, () => {
			// An item whose credential is invalid fails before anything is sent.
			gatewayOf(item);
			const known = form.isFixed ? forms.get(0) : undefined;
			forms.set(item, known ?? read(item));
		});
	await inTurns(items, readItem, () => throwIfCancelled(context));
	const { refusalOfAll } = form;
	if (!continues) throwFirst(context, errors, othersThatFail(errors, items.length));
	const prepareItem = ([item, each]: [number, Form]) => {
		if (!continues && errors.size > 0) return;
		attempt(item, () => {
			if (refusalOfAll) throw refusalOfAll;
			prepared.set(item, prepare(each, item));
		});
	};
	await inTurns(forms, prepareItem, () => throwIfCancelled(context));
	const refused = errors.size === 0 ? refusal?.() : undefined;
	if (refused) errors.set(refused.item, refused.error);
	if (!continues) throwFirst(context, errors);
	for (const hint of form.hints(errors)) hintAfterRun(context, asHtml(hint));
	for (const [item, error] of errors) outcomes[item] = { error };
	return { outcomes, prepared };
}

/** @param named the other items that cannot be read: their failures would come one after the other */
function throwFirst(
	context: IExecuteFunctions,
	errors: ReadonlyMap<number, unknown>,
	named: number[] = [],
): void {
	for (const [item, error] of errors) {
		if (named.length === 0) throw nodeError(context, error, item);
		const advice = `${capitalized(itemsNamed(named))} ${named.length === 1 ? 'fails' : 'fail'}, too.`;
		throw nodeError(context, new GatewayError(recordOf(error, undefined, advice)), item);
	}
}

/** The items that fail beside the first; none where all fail for one reason, which is in the form. */
function othersThatFail(errors: ReadonlyMap<number, unknown>, items: number): number[] {
	const reasons = new Set([...errors.values()].map((error) => recordOf(error).message));
	return errors.size === items && reasons.size === 1 ? [] : [...errors.keys()].slice(1);
}
