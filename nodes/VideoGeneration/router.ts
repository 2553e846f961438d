import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { InvalidInputError } from '../../gateway';
import { runsAsTool } from '../shared/run/asTool';
import type { DurableWait } from './wait/durableWait';
import { failAll } from '../shared/run/eachItem';
import type { OutputFields, OutputFieldsByFile } from '../shared/form/outputFields';
import { withLedger } from '../shared/ledger/withLedger';
import * as generate from './operations/generate';
import * as get from './operations/get';
import * as submit from './operations/submit';
import * as wait from './operations/wait';
import { hintAboutOutput } from './output/outputHints';
import { paidItems, RECORD, type Submitted } from './tasks/record';
import { requestParameters } from './submission/request';
import { TaskLog } from './tasks/taskLog';
import { openRun, type VideoRun } from './videoRun';
import { giveUp } from './wait/inDatabase';

interface Operation {
	option: INodePropertyOptions;
	description: INodeProperties[];
	outputFields: OutputFields;
	execute(run: VideoRun, durable: DurableWait): Promise<INodeExecutionData[] | EngineRequest>;
}

const operations = { generate, get, submit, wait } satisfies Record<string, Operation>;

export const outputFields: OutputFieldsByFile = Object.fromEntries(
	Object.entries(operations).map(([name, operation]) => [
		`v1.0.0/video/${name}`,
		operation.outputFields,
	]),
);

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
export async function execute(
	context: IExecuteFunctions,
	durable: DurableWait,
	properties: INodeProperties[],
): Promise<INodeExecutionData[][] | EngineRequest> {
	if (operationOf(context) === undefined) return [failAll(context, customApiCall())];
	const log = new TaskLog(context, paidItems(context, durable.state));
	const node = { properties, kind: RECORD, requestParameters };
	try {
		const output = await withLedger<Submitted, INodeExecutionData[] | EngineRequest>(
			context,
			node,
			async (paid) => {
				const run = openRun(paid, log);
				const made = (await operationOf(context)?.execute(run, durable)) ?? [];
				if (!Array.isArray(made)) return made;
				run.hints.show(context);
				hintAboutOutput(context, made);
				return made;
			},
			(error) => giveUp(context, durable.state, error),
		);
		return Array.isArray(output) ? [output] : output;
	} catch (error) {
		throw withTasks(error, context, log);
	}
}

function operationOf(context: IExecuteFunctions): Operation | undefined {
	const name = context.getNodeParameter('operation', 0, 'generate') as string;
	return (operations as Record<string, Operation>)[name];
}

/** n8n itself adds "Custom API Call" to the operations of a node whose credential the HTTP Request node can use. */
function customApiCall() {
	return new InvalidInputError(
		'operation',
		'This node cannot make a custom API call',
		'Add an HTTP Request node instead. Set its Authentication to Predefined Credential Type, and choose Generation Service API and your credential. Nothing was sent to the service.',
	);
}

/** Whatever is thrown names every task of the run, by whichever try it was submitted. */
function withTasks(error: unknown, context: IExecuteFunctions, log: TaskLog): unknown {
	const isStopped = context.getExecutionCancelSignal()?.aborted === true;
	if (isStopped) log.stopped();
	const list = log.list(true);
	if (list && (error instanceof NodeApiError || error instanceof NodeOperationError)) {
		error.description = [error.description, list].filter(Boolean).join('\n');
		// n8n shows at most one line of a stopped run, and an agent reads nothing else. n8n logs it.
		if (isStopped || runsAsTool(context.getNode())) error.message += `. ${log.list(false)}`;
	}
	return error;
}
