import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { parseTaskId } from '../../../gateway';
import { eachItem } from '../../shared/eachItem';
import { readOutputOptions } from '../output';
import type { OpenRun } from '../videoRun';

/** Asks once for the state of tasks. */
export async function get(
	context: IExecuteFunctions,
	open: OpenRun,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const { tasks } = open(service);
		return {
			prepare: (itemIndex) => ({
				taskId: parseTaskId(context.getNodeParameter('taskId', itemIndex, '')),
				output: readOutputOptions(context, itemIndex),
			}),
			run: async ({ taskId, output }, itemIndex) => [await tasks.get(taskId, output, itemIndex)],
		};
	});
}
