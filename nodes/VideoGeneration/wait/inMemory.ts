import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { eachItem } from '../../shared/eachItem';
import { outputOfVideo } from '../output';
import type { OpenRun, Run } from '../videoRun';
import { finish, type WaitingOperation, type WaitPlan } from './waitingOperation';

/** While a video is waited for, the next item is started. */
export async function waitInMemory<Plan extends WaitPlan>(
	context: IExecuteFunctions,
	open: OpenRun,
	begin: (run: Run) => WaitingOperation<Plan>,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const run = open(service);
		const operation = begin(run);
		return {
			prepare: (itemIndex): Plan => operation.prepare(itemIndex),
			async run(plan, itemIndex) {
				const { tasks, failure } = await operation.start(plan, itemIndex);
				const items = tasks.map(async (task, index) => {
					const output = outputOfVideo(plan.output, index);
					return await finish(run, operation, task, { ...plan, output }, itemIndex);
				});
				// What is paid for is returned, even if the failed tasks have no replacements.
				if (failure !== undefined) items.push(Promise.reject(failure));
				return { pending: run.tasks.together(items, itemIndex) };
			},
		};
	});
}
