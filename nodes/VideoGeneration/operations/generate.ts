import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { TaskFailedError, type VideoTask } from '../../../gateway';
import { eachItem } from '../../shared/eachItem';
import { TaskError } from '../../shared/errorText';
import { readOutputOptions } from '../output';
import { readVideoRequest } from '../request';
import type { OpenRun } from '../videoRun';
import { readWaitOptions } from '../waitOptions';

/** Submits videos and waits for them. While a video is merely waited for, the next item is submitted. */
export async function generate(
	context: IExecuteFunctions,
	open: OpenRun,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const { submissions, tasks } = open(service);
		return {
			prepare: (itemIndex) => ({
				request: readVideoRequest(context, itemIndex),
				wait: readWaitOptions(context, itemIndex),
				output: readOutputOptions(context, itemIndex),
			}),
			async run({ request, wait, output }, itemIndex) {
				const { submission, resumed, failure } = await submissions.submit(request, itemIndex);
				submission.data.forEach((task) => tasks.note(task));
				const firstLookMs = resumed ? 0 : wait.pollIntervalMs;
				const finish = async (task: VideoTask) =>
					await tasks
						.finish(task, { ...wait, firstLookMs }, output, itemIndex)
						.catch((error: unknown) => {
							if (error instanceof TaskError && error.cause instanceof TaskFailedError) {
								submissions.taskFailed(itemIndex, request, task.id);
							}
							throw error;
						});
				const items = submission.data.map(finish);
				// What is paid for is put out, also when there is nothing in place of what failed.
				if (failure !== undefined) items.push(Promise.reject(failure));
				return { pending: tasks.together(items, itemIndex) };
			},
		};
	});
}
