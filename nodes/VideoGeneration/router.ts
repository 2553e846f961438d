import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	NodeError,
	NodeOperationError,
	updateDisplayOptions,
} from 'n8n-workflow';
import { InvalidInputError } from '../../gateway';
import { PaidBook } from '../shared/book/book';
import { withBook } from '../shared/book/withBook';
import type { DurableWait } from '../shared/durableWait/durableWait';
import type { OutputFieldsByFile } from '../shared/form/outputItem';
import { failAll } from '../shared/run/eachItem';
import { withFullStop } from '../shared/run/errorText';
import { generate } from './generate';
import { get, taskIdProperty } from './get';
import { VideoOutput } from './output';
import { type Operation, submit } from './submit';
import { anotherNode, TaskLog } from './taskLog';
import { requestParameters } from './videoRequest';
import { LOST_STATE, runOperation, wait } from './wait';

export const operations: Record<string, Operation> = { generate, get, submit, wait };

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
		options: Object.entries(operations).map(([value, { option }]) => ({ ...option, value })),
		default: 'generate',
	},
	...propertiesOf(operations),
];

/**
 * The fields of all operations in the order that each has, one property a name, with every operation that shows it: of several
 * with one name, n8n's builder and its MCP server read the first. Only Options differs.
 */
function propertiesOf(all: Record<string, Operation>): INodeProperties[] {
	const gathered: Array<{ property: INodeProperties; operation: string[] }> = [];
	for (const [name, { properties }] of Object.entries(all)) {
		let place = 0;
		for (const property of properties) {
			const known = gathered.find((each) => each.property === property);
			if (known) known.operation.push(name);
			else gathered.splice(place, 0, { property, operation: [name] });
			place = gathered.findIndex((each) => each.property === property) + 1;
		}
	}
	return gathered.flatMap(({ property, operation }) =>
		updateDisplayOptions({ show: { operation } }, [property]),
	);
}

/** Runs the chosen operation. An error that it throws lists every task of the run. */
export async function execute(
	context: IExecuteFunctions,
	durable: DurableWait,
	properties: INodeProperties[],
): Promise<INodeExecutionData[][] | EngineRequest> {
	const operation = operations[context.getNodeParameter('operation', 0, 'generate') as string];
	if (operation === undefined) return [failAll(context, customApiCall())];
	const book = new PaidBook(context, requestParameters, durable.isResumed);
	const log = new TaskLog(context, book, durable.isLastTry);
	const output = new VideoOutput(context, book);
	try {
		const made = await withBook<INodeExecutionData[] | EngineRequest>(
			context,
			properties,
			book,
			async (paid) => {
				const refusal = unreadable(context, book, log, operation);
				if (refusal !== undefined) return output.items(refusal);
				const run = { ...paid, durable, log, output };
				return await runOperation(run, operation).catch((error: unknown) => {
					if (error instanceof NodeError) throw error;
					// Whatever it is, n8n would hand on the input of a node that continues on an error.
					return output.items(error);
				});
			},
			(error) => output.items(error),
		);
		if (!Array.isArray(made)) return made;
		const isRepeated = !durable.isLastTry && made[0]?.json.error !== undefined;
		if (!isRepeated) log.hintAboutStopped();
		return [made];
	} catch (error) {
		throw withTasks(error, log);
	}
}

/** n8n itself adds "Custom API Call" to the operations of a node whose credential the HTTP Request node can use. */
function customApiCall() {
	return new InvalidInputError(
		'operation',
		'This node cannot make a custom API call',
		'Add an HTTP Request node instead. Set its Authentication to Predefined Credential Type, and choose Generation Service API and your credential. Nothing was sent to the service.',
	);
}

/** Why the book of a run cannot be continued: videos might be submitted again. */
function unreadable(
	context: IExecuteFunctions,
	book: PaidBook,
	log: TaskLog,
	{ properties }: Operation,
): NodeOperationError | undefined {
	const isOther = book.entries.some((entry) => entry.isOfOtherVersion);
	// Wait finds its tasks in the form.
	if (!isOther && (!book.isGone || properties.includes(taskIdProperty))) return undefined;
	const { noted } = log;
	return new NodeOperationError(
		context.getNode(),
		isOther ? 'The videos were submitted by another version of this package' : LOST_STATE,
		{
			description: `Nothing was submitted again. To get the videos, ${anotherNode('Wait', 'their task IDs')}.${noted && ` Tasks of this execution: ${noted}`}`,
		},
	);
}

/** Whatever is thrown names every task of the run, by whichever try it was submitted. */
function withTasks(error: unknown, log: TaskLog): unknown {
	if (log.isStopped) log.stopped();
	if (!(error instanceof NodeError)) return error;
	const list = log.list(true);
	const { again, isInMessage } = log.tellOfLost();
	error.description = [error.description, list, !isInMessage && again].filter(Boolean).join('\n');
	if (isInMessage) error.message = `${withFullStop(error.message)} ${again}`;
	// n8n shows at most one line of a stopped run. It logs the message.
	if (list && (log.isStopped || log.isAlone))
		error.message = `${withFullStop(error.message)} ${withFullStop(log.list(false))}`;
	return error;
}
