import type {
	IConnection,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	OnError,
	StructuredChunk,
} from 'n8n-workflow';
import { type EngineRun, itemsOf, runWorkflow } from '../../demo/engine';
import { ChatCompletion } from '../../nodes/ChatCompletion/ChatCompletion.node';
import { LmChatGenerationService } from '../../nodes/LmChatGenerationService/LmChatGenerationService.node';
import { ListModels } from '../../nodes/ListModels/ListModels.node';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import type { Simulator } from '../../simulator';
import { LoopOverItems } from './loopOverItems';
import { PassThrough } from './passThrough';

const PACKAGE = 'n8n-nodes-generation-service';

/** The node types of the workflows that tests run. */
export const nodeTypes: Record<string, INodeType> = {
	[`${PACKAGE}.chatCompletion`]: new ChatCompletion(),
	[`${PACKAGE}.listModels`]: new ListModels(),
	[`${PACKAGE}.lmChatGenerationService`]: new LmChatGenerationService(),
	[`${PACKAGE}.videoGeneration`]: new VideoGeneration(),
	'test.passThrough': new PassThrough(),
	'test.loopOverItems': new LoopOverItems(),
};

export interface NodeRun extends Pick<EngineRun, 'signal' | 'executionId' | 'resume'> {
	node: 'chatCompletion' | 'listModels' | 'videoGeneration';
	parameters: INodeParameters;
	/** The JSON of the input items; one empty item otherwise. */
	items?: IDataObject[];
	onError?: OnError;
	/** With n8n's Retry On Fail, this many tries. */
	tries?: number;
	credential?: IDataObject;
	/** Makes the workflow stream. */
	streaming?: boolean;
	/** Feeds the items one by one, so that the node runs once for each of them. */
	loop?: boolean;
}

export interface NodeResult {
	run: IRun;
	/** The items of the first output, of the node's last run. */
	items: INodeExecutionData[];
	/** The items of the first output, of each run of the node. */
	runs: INodeExecutionData[][];
	/** The items of the error branch. */
	errors: INodeExecutionData[];
	/** The error that stopped the workflow. */
	error: IRun['data']['resultData']['error'];
	chunks: StructuredChunk[];
}

/** The fields of a credential for the simulator. */
export function credentialOf({ url, key }: Simulator): { baseUrl: string; apiKey: string } {
	return { baseUrl: url, apiKey: key };
}

/**
 * Runs one node, fed with items, through n8n's engine. Every test file that imports this loads n8n-core anew, for a
 * second or more: better a few such files with many tests than many with few.
 */
export async function runNode(simulator: Simulator, options: NodeRun): Promise<NodeResult> {
	const {
		parameters,
		items = [{}],
		onError,
		tries,
		credential = credentialOf(simulator),
	} = options;
	const chunks: StructuredChunk[] = [];
	const node: INode = {
		id: 'node',
		name: 'Node',
		type: `${PACKAGE}.${options.node}`,
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: { generationServiceApi: { id: '1', name: 'Service' } },
		...(onError && { onError }),
		...(tries !== undefined && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
	};
	const run = await runWorkflow({
		workflow: {
			nodes: [
				stub('Start'),
				stub('Loop', 'test.loopOverItems'),
				node,
				stub('Done'),
				stub('Failed'),
			],
			connections: options.loop
				? {
						Start: { main: [to('Loop')] },
						Loop: { main: [to('Done'), to('Node')] },
						Node: { main: [to('Loop'), to('Loop')] },
					}
				: {
						Start: { main: [to('Node')] },
						Node: { main: [to('Done'), to('Failed')] },
					},
		},
		nodeTypes,
		credentials: { generationServiceApi: credential as never },
		startNode: 'Start',
		pinData: { Start: items.map((json, item) => ({ json, pairedItem: { item } })) },
		...(options.streaming && { onChunk: (chunk: StructuredChunk) => chunks.push(chunk) }),
		...(options.signal && { signal: options.signal }),
		...(options.executionId && { executionId: options.executionId }),
		...(options.resume && { resume: options.resume }),
	});
	return {
		run,
		items: itemsOf(run, 'Node', 0),
		runs: (run.data.resultData.runData.Node ?? []).map(({ data }) => data?.main?.[0] ?? []),
		errors: itemsOf(run, 'Node', 1),
		error: run.data.resultData.error,
		chunks,
	};
}

function stub(name: string, type = 'test.passThrough'): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {} };
}

function to(node: string): IConnection[] {
	return [{ node, type: 'main', index: 0 }];
}
