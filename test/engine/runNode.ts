import type {
	IConnection,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	IRunExecutionData,
	IWorkflowSettings,
	OnError,
	StructuredChunk,
} from 'n8n-workflow';
import { type EngineRun, itemsOf, runWorkflow } from '../../demo/engine';
import { systemClock } from '../../gateway';
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

export interface NodeRun
	extends Pick<EngineRun, 'signal' | 'executionId' | 'resume' | 'wake' | 'startNode' | 'mode'> {
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
	/** Of the workflow; those of a workflow that was made long ago otherwise. */
	settings?: IWorkflowSettings;
	/** Of the node that the workflow begins with. */
	trigger?: INodeParameters;
	/** In place of the package's. */
	nodeType?: INodeType;
	/** Has the execution as n8n stored it for a wait; false: n8n does not wait until its end. */
	onWait?: (stored: IRunExecutionData) => boolean | void;
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
	/** The execution as n8n stored it each time that it waited. */
	waits: IRun[];
}

/** The fields of a credential for the simulator. */
export function credentialOf({ url, key }: Simulator): { baseUrl: string; apiKey: string } {
	return { baseUrl: url, apiKey: key };
}

/**
 * Runs one node, fed with items, through n8n's engine. Every test file that imports this loads n8n-core again, for a
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
	const given: EngineRun = {
		workflow: {
			...(options.settings && { settings: options.settings }),
			nodes: [
				{ ...stub('Start'), parameters: options.trigger ?? {} },
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
		nodeTypes: { ...nodeTypes, ...(options.nodeType && { [node.type]: options.nodeType }) },
		credentials: { generationServiceApi: credential as never },
		startNode: options.startNode ?? 'Start',
		...(options.mode && { mode: options.mode }),
		pinData: { Start: items.map((json, item) => ({ json, pairedItem: { item } })) },
		...(options.streaming && { onChunk: (chunk: StructuredChunk) => chunks.push(chunk) }),
		...(options.signal && { signal: options.signal }),
		...(options.executionId !== undefined && { executionId: options.executionId }),
		...(options.resume && { resume: options.resume }),
		...(options.wake && { wake: options.wake }),
	};
	const waits: IRun[] = [];
	let run = await runWorkflow(given);
	while (run.waitTill) {
		const stored = structuredClone(run);
		waits.push(structuredClone(run));
		const waitsToTheEnd = options.onWait?.(stored.data) !== false;
		const left = run.waitTill.getTime() - systemClock.now();
		if (waitsToTheEnd) await systemClock.sleep(left, options.signal);
		run = await runWorkflow({ ...given, wake: stored.data });
	}
	return {
		run,
		items: itemsOf(run, 'Node', 0),
		runs: (run.data.resultData.runData.Node ?? []).map(({ data }) => data?.main?.[0] ?? []),
		errors: itemsOf(run, 'Node', 1),
		error: run.data.resultData.error,
		chunks,
		waits,
	};
}

function stub(name: string, type = 'test.passThrough'): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {} };
}

function to(node: string): IConnection[] {
	return [{ node, type: 'main', index: 0 }];
}
