import type { EngineRequest, INodeExecutionData } from 'n8n-workflow';
import type { DurableWait } from './durableWait';
import { eachItem, outcomeOfResults, type Settled } from '../../shared/run/eachItem';
import { hintAfterRun } from '../../shared/form/hints';
import { outputOfVideo } from '../output/outputOptions';
import type { VideoRun } from '../videoRun';
import { waitInDatabase } from './inDatabase';
import { waitsInDatabase } from '../tasks/waitOptions';
import { finish, type Started, type WaitingOperation, type WaitPlan } from './waitingOperation';

/** Waits for the videos of all items, in memory or in n8n's database, and makes items of them. */
export async function waitForVideos<Plan extends WaitPlan>(
	run: VideoRun,
	durable: DurableWait,
	operation: WaitingOperation<Plan>,
): Promise<INodeExecutionData[] | EngineRequest> {
	const { context } = run.service;
	const { isResumed } = durable;
	if (!isResumed && !waitsInDatabase(context)) return await waitInMemory(run, operation);
	const refusal = durable.refusal();
	if (refusal !== undefined) hintAfterRun(context, `Waited in memory: ${refusal}`);
	return refusal === undefined || isResumed
		? await waitInDatabase(run, durable, operation)
		: await waitInMemory(run, operation);
}

/** While a video is waited for, the next item is started. */
async function waitInMemory<Plan extends WaitPlan>(
	run: VideoRun,
	operation: WaitingOperation<Plan>,
): Promise<INodeExecutionData[]> {
	return await eachItem(run.service, {
		prepare: operation.prepare,
		async work(plan, itemIndex) {
			const started = await operation.start(plan, itemIndex);
			return { pending: finishAll(run, operation, started, plan, itemIndex) };
		},
	});
}

/** Waits for all tasks of one item, even if one of them fails: what is paid for is returned. */
async function finishAll<Plan extends WaitPlan>(
	run: VideoRun,
	operation: WaitingOperation<Plan>,
	{ tasks, failure }: Started,
	plan: Plan,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const finishing = tasks.map(async (task, index): Promise<Settled<INodeExecutionData>> => {
		const output = outputOfVideo(plan.output, index);
		return await finish(run, operation, task, { ...plan, output }, itemIndex).then(
			(result) => ({ result }),
			(error: unknown) => ({ error }),
		);
	});
	const results = await Promise.all(finishing);
	if (failure !== undefined) results.push({ error: failure });
	const outcome = outcomeOfResults(run.service.context, results, itemIndex);
	if ('error' in outcome) throw outcome.error;
	return outcome.result;
}
