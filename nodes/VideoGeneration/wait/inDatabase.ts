import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import { parseWaitState, systemClock, type WaitState } from '../../../gateway';
import type { DurableWait } from './durableWait';
import { failAll, outcomesOf, outputOf } from '../../shared/run/eachItem';
import { reportError, TaskError } from '../../shared/run/errorText';
import type { Run } from '../videoRun';
import { TaskLog } from '../taskLog';
import type { WaitingOperation, WaitPlan } from './waitingOperation';
import { WaitLeg } from './leg';
import { finalOutput, openTasks, stateOf } from './state';

/**
 * Waits for the videos of all items in n8n's database. Each call is one leg of the wait: the first starts the tasks, each
 * later one polls every open task once, and the last one returns the items. A finished task is downloaded in the leg that
 * sees it finished, since its URL may expire.
 */
export async function waitInDatabase<Plan extends WaitPlan>(
	run: Run,
	durable: DurableWait,
	operation: WaitingOperation<Plan>,
): Promise<INodeExecutionData[] | EngineRequest> {
	const { resumed } = durable;
	const leg = new WaitLeg(durable, run, operation);
	const state = resumed ? parseWaitState(resumed.state) : await start(run, operation);
	if (state === undefined) return lost(run);
	return await leg.continue(state);
}

/** Starts the tasks of all items. */
async function start<Plan extends WaitPlan>(
	{ service }: Run,
	operation: WaitingOperation<Plan>,
): Promise<WaitState> {
	const startedAt = systemClock.wallTime();
	const outcomes = await outcomesOf(service, {
		prepare: operation.prepare,
		async work(plan, itemIndex) {
			return { plan, started: await operation.start(plan, itemIndex) };
		},
	});
	return stateOf(outcomes, startedAt);
}

/** The output of a resumed node whose credential cannot be used any more: every task is in its errors. */
export function giveUp(
	context: IExecuteFunctions,
	handedOver: unknown,
	cause: unknown,
): INodeExecutionData[] {
	const state = parseWaitState(handedOver);
	if (state === undefined) return failAll(context, cause);
	const log = new TaskLog(context);
	const open = openTasks(state);
	for (const { task } of open) log.note(task);
	for (const { task } of open) {
		const reported = reportError(new TaskError(log.stateOf(task.id), cause));
		const description = `${reported.failure.description} ${log.list(true)}`;
		task.error = { ...reported, failure: { ...reported.failure, description } };
	}
	return finalOutput(context, state);
}

/** Never submitted again: the error contains all that is needed to fetch the videos. */
function lost({ service: { context }, submissions, log }: Run): INodeExecutionData[] {
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
