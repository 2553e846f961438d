import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	OperationalError,
} from 'n8n-workflow';
import { parseWaitState, systemClock, tasksInWaitState, type WaitState } from '../../../gateway';
import type { DurableWait } from './durableWait';
import { outcomeOfResults, outcomesOf, outputOf } from '../../shared/run/eachItem';
import { TaskError } from '../../shared/run/errorText';
import type { VideoRun } from '../videoRun';
import { paidItems } from '../tasks/record';
import type { WaitingOperation, WaitPlan } from './waitingOperation';
import { WaitLeg } from './leg';
import { resultOf, stateOf } from './state';

/**
 * Waits for the videos of all items in n8n's database. Each call is one leg of the wait: the first starts the tasks, each
 * later one polls every open task once, and the last one returns the items. A finished task is downloaded in the leg that
 * sees it finished, since its URL may expire.
 */
export async function waitInDatabase<Plan extends WaitPlan>(
	run: VideoRun,
	durable: DurableWait,
	operation: WaitingOperation<Plan>,
): Promise<INodeExecutionData[] | EngineRequest> {
	const leg = new WaitLeg(durable, run, operation);
	const state = durable.isResumed ? parseWaitState(durable.state) : await start(run, operation);
	if (state !== undefined) return await leg.continue(state);
	return giveUp(run.service.context, durable.state, unreadable(durable));
}

/** Starts the tasks of all items. */
async function start<Plan extends WaitPlan>(
	{ service }: VideoRun,
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

/**
 * The output of a node that cannot wait any longer, with one error for each task of which nothing came yet. Nothing is
 * submitted again, and what is finished is handed on.
 */
export function giveUp(
	context: IExecuteFunctions,
	handedOver: unknown,
	cause: unknown,
): INodeExecutionData[] {
	const stored = parseWaitState(handedOver)?.items ?? [];
	const outcomes = paidItems(context, handedOver).map(({ tasks }, itemIndex) => {
		const known = stored[itemIndex];
		const results = tasks.map(
			(task) =>
				resultOf(known?.tasks.find(({ id }) => id === task.task_id)) ?? {
					error: new TaskError(task, cause),
				},
		);
		const failure = resultOf(known ?? undefined);
		if (failure !== undefined) results.push(failure);
		return results.length > 0 ? outcomeOfResults(context, results, itemIndex) : { error: cause };
	});
	return outputOf(context, outcomes);
}

function unreadable({ state }: DurableWait): Error {
	const isOther = tasksInWaitState(state) !== undefined;
	return new OperationalError(
		isOther
			? 'The videos were submitted by another version of this package'
			: 'n8n lost the state of this wait',
		{
			description:
				'Nothing was submitted again. Use Wait or Get with the task ID to fetch the video.',
		},
	);
}
