import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import type { DurableWait } from '../shared/durableWait';
import * as generate from './operations/generate';
import * as get from './operations/get';
import * as submit from './operations/submit';
import * as wait from './operations/wait';
import { openRun, type OpenRun, type Run } from './videoRun';

const operations = { generate, get, submit, wait };

/**
 * The choice of an operation, and the fields of each. n8n names a tool and a node on the canvas by the action of the
 * operation, but only where a resource shows that operation.
 */
export const operationProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'hidden',
		noDataExpression: true,
		options: [{ name: 'Video', value: 'video' }],
		default: 'video',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['video'] } },
		options: Object.values(operations).map(({ option }) => option),
		default: 'generate',
	},
	...Object.values(operations).flatMap(({ description }) => description),
];

/** Runs the chosen operation. An error that it throws lists every task of the run. */
export async function run(
	context: IExecuteFunctions,
	durable: DurableWait,
): Promise<INodeExecutionData[][] | EngineRequest> {
	const operation = context.getNodeParameter('operation', 0, 'generate') as keyof typeof operations;
	let current: Run | undefined;
	const open: OpenRun = (service) => (current = openRun(service));
	let items: INodeExecutionData[] | undefined;
	const addTasks = (error: unknown): never => {
		const isStopped = context.getExecutionCancelSignal()?.aborted === true;
		if (isStopped) current?.log.stopped();
		const list = current?.log.list();
		if (list && (error instanceof NodeApiError || error instanceof NodeOperationError)) {
			error.description = [error.description, list].filter(Boolean).join('\n');
			// n8n shows at most one line of a stopped run.
			if (isStopped) error.message += `. ${list}`;
		}
		throw error;
	};
	try {
		const output = await operations[operation].execute(context, open, durable).catch(addTasks);
		if (!Array.isArray(output)) return output;
		items = output;
		current?.hints.show(context);
		return [items];
	} finally {
		current?.submissions.end(items);
	}
}
