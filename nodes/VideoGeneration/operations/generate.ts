import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	updateDisplayOptions,
} from 'n8n-workflow';
import { TaskFailedError } from '../../../gateway';
import { eachItem } from '../../shared/eachItem';
import { TaskError } from '../../shared/errorText';
import { downloadProperties, readOutputOptions, simplifyProperty } from '../output';
import { optionsProperty, readVideoRequest, requestProperties } from '../request';
import type { OpenRun } from '../videoRun';
import type { SubmittedTask } from '../submissions';
import { readWaitOptions, waitOptionsProperty } from '../waitOptions';

export const option: INodePropertyOptions = {
	name: 'Generate',
	value: 'generate',
	action: 'Generate a video',
	description: 'Submit a video and wait until it is finished',
};

const properties: INodeProperties[] = [
	...requestProperties,
	...downloadProperties,
	simplifyProperty,
	optionsProperty,
	waitOptionsProperty,
];

export const description = updateDisplayOptions(
	{ show: { operation: [option.value] } },
	properties,
);

/** Submits videos and waits for them. While a video is waited for, the next item is submitted. */
export async function execute(
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
				const submission = await submissions.submit(request, itemIndex);
				const finish = async ({ task, request, submittedAt }: SubmittedTask) => {
					const finished = await tasks.wait(task, wait, output, submittedAt);
					return await tasks.toItem(finished, output, itemIndex, request);
				};
				const items = submission.tasks.map(
					async (submitted) =>
						await finish(submitted).catch((error: unknown) => {
							if (error instanceof TaskError && error.cause instanceof TaskFailedError) {
								submission.taskFailed(submitted.task.id);
							}
							throw error;
						}),
				);
				// What is paid for is put out, also when there is nothing in place of what failed.
				if (submission.failure !== undefined) items.push(Promise.reject(submission.failure));
				return { pending: tasks.together(items, itemIndex) };
			},
		};
	});
}
