import type {
	IConnection,
	ICredentialDataDecryptedObject,
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
import { msBetween, systemClock, wallTimeOf } from '../../gateway';
import type { Simulator } from '../../simulator';
import { nodeOf } from './nodeOf';
import { packageNodes } from './packageNodes';
import { loopOverItems, passThrough } from './stubNodes';

const PACKAGE = 'n8n-nodes-generation-service';
const STUB = 'test.passThrough';
/** More than any test plays. */
const MAX_WAITS = 1_000;

/** The node types of test workflows. */
export const nodeTypes: Record<string, INodeType> = {
	...Object.fromEntries(
		Object.entries(packageNodes).map(([name, node]) => [`${PACKAGE}.${name}`, node]),
	),
	[STUB]: passThrough,
	'test.loopOverItems': loopOverItems,
};

export interface NodeRun
	extends Pick<
		EngineRun,
		| 'signal'
		| 'executionId'
		| 'retryData'
		| 'waitingData'
		| 'startNode'
		| 'mode'
		| 'credentialTypes'
		| 'additional'
	> {
	/** The name of its type. */
	node: string;
	parameters: INodeParameters;
	/** The JSON of the input items. Default: one empty item. */
	items?: IDataObject[];
	onError?: OnError;
	/** Turns on Retry On Fail with this many tries. */
	tries?: number;
	executeOnce?: boolean;
	/** Its fields, or what tells them whenever the node asks: undefined for one that was deleted. */
	credential?: IDataObject | (() => IDataObject | undefined);
	/** Makes the workflow stream. */
	streaming?: boolean;
	/** What reads the stream. */
	onChunk?: (chunk: StructuredChunk) => void;
	/** The workflow settings. Default: none, as in a workflow from an old n8n. */
	settings?: IWorkflowSettings;
	/** The parameters of the node that the workflow starts with. */
	trigger?: INodeParameters;
	/** Its name. Default: Start. */
	triggerName?: string;
	/** Its type, which only tells how the workflow was started. */
	triggerType?: string;
	/** The type of another trigger of the workflow, which did not run. */
	otherTriggerType?: string;
	/** Replaces the node type of the package. */
	nodeType?: INodeType;
	/** Receives the execution as n8n stores it for a wait. Returning false makes n8n resume it at once. */
	onWait?: (stored: IRunExecutionData) => boolean | void;
	/** Passes the items through Loop Over Items, so that the node runs once for each. */
	loop?: boolean;
}

/** Where a service is, and a key for it. */
export type Service = Pick<Simulator, 'url' | 'key'>;

export interface NodeResult {
	run: IRun;
	/** The items of the first output, in the last run of the node. */
	items: INodeExecutionData[];
	/** The items of the first output, in each run of the node. */
	runs: INodeExecutionData[][];
	/** The items of the error branch. */
	errors: INodeExecutionData[];
	/** The error that stopped the workflow. */
	error: IRun['data']['resultData']['error'];
	chunks: StructuredChunk[];
	/** What the hints above the output of the last run say. */
	hints: string[];
	/** The execution as n8n stored it, once for each wait. */
	waits: IRun[];
}

/** The fields of a credential for a service. */
export function credentialOf({ url, key }: Service): { baseUrl: string; apiKey: string } {
	return { baseUrl: url, apiKey: key };
}

/** Runs one node in n8n's engine. */
export async function runNode(service: Service, options: NodeRun): Promise<NodeResult> {
	const { parameters, items = [{}], onError, tries, credential = credentialOf(service) } = options;
	const fields = typeof credential === 'function' ? credential : () => credential;
	const chunks: StructuredChunk[] = [];
	const { triggerName: start = 'Start' } = options;
	const { onChunk = (chunk: StructuredChunk) => void chunks.push(chunk), ...ofEngine } = options;
	const node: INode = {
		...nodeOf('Node', `${PACKAGE}.${options.node}`, parameters),
		...(onError && { onError }),
		// The editor leaves out the default, which is 3.
		...(tries !== undefined && { retryOnFail: true, waitBetweenTries: 1 }),
		...(tries !== 3 && tries !== undefined && { maxTries: tries }),
		...(options.executeOnce && { executeOnce: true }),
	};
	const engineRun: EngineRun = {
		startNode: start,
		...ofEngine,
		workflow: {
			...(options.settings && { settings: options.settings }),
			nodes: [
				nodeOf(start, options.triggerType ?? STUB, options.trigger),
				...(options.otherTriggerType ? [nodeOf('Other', options.otherTriggerType)] : []),
				nodeOf('Loop', 'test.loopOverItems'),
				node,
				nodeOf('Done', STUB),
				nodeOf('Failed', STUB),
			],
			connections: options.loop
				? {
						[start]: { main: [to('Loop')] },
						Loop: { main: [to('Done'), to('Node')] },
						Node: { main: [to('Loop'), to('Loop')] },
					}
				: {
						[start]: { main: [to('Node')] },
						...(options.otherTriggerType && { Other: { main: [to('Node')] } }),
						Node: { main: [to('Done'), to('Failed')] },
					},
		},
		nodeTypes: {
			...nodeTypes,
			...(options.nodeType && { [node.type]: options.nodeType }),
			...(options.triggerType && { [options.triggerType]: passThrough }),
			...(options.otherTriggerType && { [options.otherTriggerType]: passThrough }),
		},
		credentials: () => fields() as ICredentialDataDecryptedObject | undefined,
		pinData: { [start]: items.map((json, item) => ({ json, pairedItem: { item } })) },
		...(options.streaming && { onChunk }),
	};
	const waits: IRun[] = [];
	let run = await runWorkflow(engineRun);
	while (run.waitTill) {
		const stored = structuredClone(run);
		waits.push(structuredClone(run));
		if (waits.length > MAX_WAITS) throw new Error('The node waits in the database without an end.');
		const waitsUntilDue = options.onWait?.(stored.data) !== false;
		const remaining = msBetween(systemClock.wallTime(), wallTimeOf(run.waitTill.getTime()));
		if (waitsUntilDue) await systemClock.sleep(remaining, options.signal);
		run = await runWorkflow({ ...engineRun, waitingData: stored.data });
	}
	return {
		run,
		items: itemsOf(run, 'Node', 0),
		runs: (run.data.resultData.runData.Node ?? []).map(({ data }) => data?.main?.[0] ?? []),
		errors: itemsOf(run, 'Node', 1),
		error: run.data.resultData.error,
		chunks,
		hints: (run.data.resultData.runData.Node?.at(-1)?.hints ?? [])
			.filter(({ location }) => location === 'outputPane')
			.map(({ message }) => message),
		waits,
	};
}

function to(node: string): IConnection[] {
	return [{ node, type: 'main', index: 0 }];
}
