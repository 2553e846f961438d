import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import { parseWaitState, systemClock, type WaitState } from '../../../gateway';
import { connect } from '../../shared/connect';
import type { DurableWait } from '../../shared/durableWait';
import { outcomesOf, outputOf } from '../../shared/eachItem';
import { reportError, TaskError } from '../../shared/errorText';
import type { OpenRun, Run } from '../videoRun';
import { TaskLog } from '../taskLog';
import type { WaitingOperation, WaitPlan } from './waitingOperation';
import { WaitLeg } from './leg';
import { openTasks, outcomesIn, stateOf } from './state';

/**
 * Waits for the videos of all items in n8n's database. Each call is one leg of the wait: the first starts the tasks, each
 * later one polls every open task once, and the last one returns the items. A finished task is downloaded in the leg that
 * sees it finished, since its URL may expire.
 */
export async function waitInDatabase<Plan extends WaitPlan>(
	context: IExecuteFunctions,
	open: OpenRun,
	durable: DurableWait,
	begin: (run: Run) => WaitingOperation<Plan>,
): Promise<INodeExecutionData[] | EngineRequest> {
	if (durable.resumed !== undefined) {
		return await nextLeg(context, open, durable, begin, durable.resumed.state);
	}
	const startedAt = Math.ceil(systemClock.now());
	const opened: { leg?: WaitLeg } = {};
	const outcomes = await outcomesOf(context, (service) => {
		const run = open(service);
		const operation = begin(run);
		opened.leg = new WaitLeg(context, durable, run, operation);
		return {
			prepare: (itemIndex): Plan => operation.prepare(itemIndex),
			async run(plan, itemIndex) {
				return { plan, started: await operation.start(plan, itemIndex) };
			},
		};
	});
	const state = stateOf(outcomes, startedAt);
	if (opened.leg !== undefined) return await opened.leg.goOn(state);
	return outputOf(context, outcomesIn(state, context.continueOnFail()));
}

async function nextLeg<Plan extends WaitPlan>(
	context: IExecuteFunctions,
	open: OpenRun,
	durable: DurableWait,
	begin: (run: Run) => WaitingOperation<Plan>,
	handedOver: unknown,
): Promise<INodeExecutionData[] | EngineRequest> {
	const state = parseWaitState(handedOver);
	const service = await connect(context).catch((error: unknown) => ({ error }));
	if ('error' in service) return giveUp(context, state, service.error);
	const run = open(service);
	if (state === undefined) return lost(context, run);
	return await new WaitLeg(context, durable, run, begin(run)).goOn(state);
}

/** The credential cannot be used any more. */
function giveUp(context: IExecuteFunctions, state: WaitState | undefined, cause: unknown) {
	const log = new TaskLog(context);
	const open = state === undefined ? [] : openTasks(state);
	for (const { task } of open) log.note(task);
	for (const { task } of open) {
		const told = reportError(new TaskError(log.stateOf(task.id), cause));
		const description = `${told.failure.description}\n${log.list()}`;
		task.error = { ...told, failure: { ...told.failure, description } };
	}
	if (state !== undefined) return outputOf(context, outcomesIn(state, context.continueOnFail()));
	return outputOf(
		context,
		context.getInputData().map(() => ({ error: cause })),
	);
}

/** Never submitted again: the error contains all that is needed to fetch the videos. */
function lost(context: IExecuteFunctions, { submissions, log }: Run) {
	const outcomes = context.getInputData().map((_, itemIndex) => {
		const ids = submissions.known(itemIndex);
		for (const id of ids) log.note({ id, status: 'unknown' });
		const error = new NodeOperationError(context.getNode(), 'n8n lost the state of this wait', {
			itemIndex,
			description: `Nothing was submitted again. Use Wait or Get to fetch the videos of these tasks: ${ids.join(', ')}`,
		});
		return { error };
	});
	return outputOf(context, outcomes);
}
