import {
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { generate } from './operations/generate';
import { get } from './operations/get';
import { Submissions } from './submissions';
import { submit } from './operations/submit';
import { VideoTasks } from './videoTasks';
import type { OpenRun, Run } from './videoRun';
import { wait } from './operations/wait';

const operations = { generate, get, submit, wait };

/** Runs the chosen operation. An error that it throws lists every task of the run. */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const operation = context.getNodeParameter('operation', 0, 'generate') as keyof typeof operations;
	let current: Run | undefined;
	const open: OpenRun = (service) => {
		current = { submissions: new Submissions(service), tasks: new VideoTasks(service) };
		return current;
	};
	let items: INodeExecutionData[] | undefined;
	try {
		items = await operations[operation](context, open).catch((error: unknown) => {
			const list = current?.tasks.list();
			if (list && (error instanceof NodeApiError || error instanceof NodeOperationError)) {
				error.description = [error.description, list].filter(Boolean).join('\n');
			}
			throw error;
		});
		current?.tasks.hints.show(context);
		return items;
	} finally {
		current?.submissions.end(items);
	}
}
