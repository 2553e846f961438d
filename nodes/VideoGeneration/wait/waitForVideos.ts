import type { EngineRequest, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { DurableWait } from '../../shared/durableWait';
import { hintAfterRun } from '../../shared/hints';
import type { OpenRun, Run } from '../videoRun';
import { waitInDatabase } from './inDatabase';
import { waitInMemory } from './inMemory';
import { readWaitIn } from './options';
import type { WaitingOperation, WaitPlan } from './waitingOperation';

/** Waits for the videos of all items, and makes items of them. */
export async function waitForVideos<Plan extends WaitPlan>(
	context: IExecuteFunctions,
	open: OpenRun,
	durable: DurableWait,
	begin: (run: Run) => WaitingOperation<Plan>,
): Promise<INodeExecutionData[] | EngineRequest> {
	const isResumed = durable.resumed !== undefined;
	if (!isResumed && readWaitIn(context) === 'memory') {
		return await waitInMemory(context, open, begin);
	}
	const refusal = durable.refusal();
	if (refusal !== undefined) hintAfterRun(context, `Waited in memory: ${refusal}`);
	return refusal === undefined || isResumed
		? await waitInDatabase(context, open, durable, begin)
		: await waitInMemory(context, open, begin);
}
