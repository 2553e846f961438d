import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { eachItem } from '../../shared/eachItem';
import { readOutputOptions } from '../output';
import { readVideoRequest } from '../request';
import type { OpenRun } from '../videoRun';
import { fullSubmission, simplifiedSubmission } from '../taskItem';

/** Submits videos and hands on their tasks at once, to be fetched by Get or Wait later. */
export async function submit(
	context: IExecuteFunctions,
	open: OpenRun,
): Promise<INodeExecutionData[]> {
	return await eachItem(context, (service) => {
		const { submissions, tasks } = open(service);
		return {
			prepare: (itemIndex) => ({
				request: readVideoRequest(context, itemIndex),
				simplify: readOutputOptions(context, itemIndex).simplify,
			}),
			async run({ request, simplify }, itemIndex) {
				const { submission, failure } = await submissions.submit(request, itemIndex);
				submission.data.forEach((task) => tasks.note(task));
				if (failure !== undefined) throw failure;
				const toJson = simplify ? simplifiedSubmission : fullSubmission;
				return submission.data.map((task) => ({
					json: toJson(submission, task),
					pairedItem: { item: itemIndex },
				}));
			},
		};
	});
}
