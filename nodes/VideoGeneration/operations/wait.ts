import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { parseTaskId } from '../../../gateway';
import { eachItem } from '../../shared/eachItem';
import { readOutputOptions } from '../output';
import type { OpenRun } from '../videoRun';
import { readWaitOptions } from '../waitOptions';

/** Waits for tasks that were submitted before, wherever and whenever that was. */
export async function wait(
	context: IExecuteFunctions,
	open: OpenRun,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const { tasks } = open(service);
		return {
			prepare: (itemIndex) => ({
				taskId: parseTaskId(context.getNodeParameter('taskId', itemIndex, '')),
				waitOptions: { ...readWaitOptions(context, itemIndex), firstLookMs: 0 },
				output: readOutputOptions(context, itemIndex),
			}),
			async run({ taskId, waitOptions, output }, itemIndex) {
				const task = tasks.note({ id: taskId, status: 'processing' as const });
				return {
					pending: tasks.together([tasks.finish(task, waitOptions, output, itemIndex)], itemIndex),
				};
			},
		};
	});
}
