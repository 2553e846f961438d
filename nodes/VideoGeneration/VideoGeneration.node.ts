import type {
	EngineRequest,
	EngineResponse,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { refusedValue } from '../../gateway';
import { PaidBook } from '../shared/book/book';
import { SpendingLimit } from '../shared/book/spendingLimit';
import { beginDurableWait, type DurableWait } from '../shared/durableWait/durableWait';
import { chosenModel, searchModels } from '../shared/editor/modelLocator';
import { testConnection } from '../shared/editor/testConnection';
import type { OutputFieldsByFile } from '../shared/output/item';
import { NodeConnectionTypes } from '../shared/form/sharedProperties';
import { runItems } from '../shared/run/runItems';
import { requestHints, requestParameters } from './form/request';
import { waitingTooltip, waitsInDatabase } from './form/wait';
import { operationProperties, operations } from './operations';
import { addTasks } from './tasks/log';
import { itemsOf } from './tasks/output';
import type { BookedRun } from './tasks/plan';
import { workOf } from './tasks/run';

const videoNodeProperties: INodeProperties[] = [
	// n8n names a tool and a node on the canvas by the action of the operation, but only where a resource shows that operation.
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
		options: Object.entries(operations).map(([value, { name, action, description }]) => {
			return { name, value, action, description };
		}),
		default: 'generate',
	},
	...operationProperties,
];

/** What each operation does, in the words of its action: "Generate video". */
const titles = Object.fromEntries(
	Object.entries(operations).map(([name, { action }]) => [name, action.replace(' a ', ' ')]),
);

/** On the canvas, with the model where one is chosen. */
const subtitle = `={{ [(${JSON.stringify(titles)})[$parameter["operation"]], ["generate", "submit"].includes($parameter["operation"]) && ${chosenModel}].filter(Boolean).join(": ") }}`;

export class VideoGeneration implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Video Generation',
		name: 'videoGeneration',
		icon: {
			light: 'file:../../icons/generationService.svg',
			dark: 'file:../../icons/generationService.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle,
		description: 'Generate videos from text prompts with a generation service',
		defaults: { name: 'Video Generation' },
		usableAsTool: true,
		// With its anchor: n8n adds a query to the link of the codex, behind the anchor.
		documentationUrl: 'https://github.com/generation-service/n8n-nodes-generation-service#nodes',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		waitingNodeTooltip: waitingTooltip,
		hints: requestHints,
		properties: videoNodeProperties,
	};

	outputFields: OutputFieldsByFile = Object.fromEntries(
		Object.entries(operations).map(([name, { outputFields }]) => [
			`v1.0.0/video/${name}`,
			outputFields,
		]),
	);

	methods = {
		listSearch: { searchModels: searchModels('video') },
		credentialTest: { testConnection },
	};

	async execute(
		this: IExecuteFunctions,
		response?: EngineResponse,
	): Promise<INodeExecutionData[][] | EngineRequest> {
		const wait = await beginDurableWait(this, response);
		return 'output' in wait ? wait.output : await wait.run(runChosenOperation(this, wait));
	}
}

/** Runs the operation that the form chose. A thrown error lists every task of the run. */
async function runChosenOperation(
	context: IExecuteFunctions,
	durable: DurableWait,
): Promise<INodeExecutionData[][] | EngineRequest> {
	const chosen = context.getNodeParameter('operation', 0, 'generate');
	const operation = operations[String(chosen)];
	const submits = operation?.submits ?? false;
	const book = new PaidBook(context, requestParameters, durable.isResumed);
	const run: BookedRun = { context, book, durable, submits };
	const made = await runItems(context, {
		properties: videoNodeProperties,
		connected(service) {
			const rule = `must be ${Object.keys(operations).join(' or ')}`;
			if (operation === undefined) throw refusedValue('operation', rule, chosen);
			const ofDatabase = waitsInDatabase(context) ? durable.refusal() : '';
			const inMemory = book.isGone ? 'the state of this wait is lost' : ofDatabase;
			const spending = new SpendingLimit(context);
			return workOf({ ...run, ...service, spending, inMemory }, operation);
		},
		fail: (cause) => itemsOf(run, cause),
		complete: (error) => addTasks(run, error),
		end: (ended) => book.end(ended),
	});
	return Array.isArray(made) ? [made] : made;
}
