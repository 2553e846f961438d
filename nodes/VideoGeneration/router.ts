import {
	type EngineRequest,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	NodeError,
	NodeOperationError,
} from 'n8n-workflow';
import { InvalidInputError } from '../../gateway';
import { PaidBook } from '../shared/book/book';
import { withBook } from '../shared/book/withBook';
import type { DurableWait } from '../shared/durableWait/durableWait';
import { failAll } from '../shared/run/eachItem';
import { withFullStop } from '../shared/run/errorText';
import { type Operation, operations } from './operations';
import { anotherNode } from './item';
import { VideoOutput } from './output';
import { hintAboutStopped, notedTaskIds } from './stoppedRuns';
import { planSubmission } from './submit';
import { isAlone, TaskLog } from './taskLog';
import { requestParameters } from './videoRequest';
import { VideoTasks } from './videoTasks';
import { LOST_STATE, runOperation } from './wait';

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
				const refusal = unreadable(context, book, operation);
				if (refusal !== undefined) return output.items(refusal);
				const tasks = new VideoTasks(paid.service, log);
				const run = { ...paid, durable, log, output, tasks };
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
		if (!isRepeated) hintAboutStopped(context);
		return [made];
	} catch (error) {
		throw withTasks(error, context, log);
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
	{ plan }: Operation,
): NodeOperationError | undefined {
	const isOther = book.entries.some((entry) => entry.isOfOtherVersion);
	// Wait finds its tasks in the form.
	if (!isOther && !(book.isGone && plan === planSubmission)) return undefined;
	const noted = notedTaskIds(context);
	return new NodeOperationError(
		context.getNode(),
		isOther ? 'The videos were submitted by another version of this package' : LOST_STATE,
		{
			description: `Nothing was submitted again. To get the videos, ${anotherNode('Wait', 'their task IDs')}.${noted && ` Tasks of this execution: ${noted}`}`,
		},
	);
}

/** Whatever is thrown names every task of the run, by whichever try it was submitted. */
function withTasks(error: unknown, context: IExecuteFunctions, log: TaskLog): unknown {
	if (log.isStopped) log.stopped();
	if (!(error instanceof NodeError)) return error;
	const list = log.list(true);
	const { again, isInMessage } = log.tellOfLost();
	error.description = [error.description, list, !isInMessage && again].filter(Boolean).join('\n');
	if (isInMessage) error.message = `${withFullStop(error.message)} ${again}`;
	// n8n shows at most one line of a stopped run. It logs the message.
	if (list && (log.isStopped || isAlone(context)))
		error.message = `${withFullStop(error.message)} ${withFullStop(log.list(false))}`;
	return error;
}
