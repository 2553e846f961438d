import 'reflect-metadata';
import './n8nSettings';
import { Container } from '@n8n/di';
import {
	BinaryDataService,
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	deepCopy,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
	type IPinData,
	type IRun,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	NodeHelpers,
	type StructuredChunk,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { FixedCredentials } from './fixedCredentials';

/** A workflow as n8n exports it. */
export interface WorkflowFile {
	name?: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
}

export interface EngineRun {
	workflow: WorkflowFile;
	/** By full type, such as `n8n-nodes-generation-service.chatCompletion`. */
	nodeTypes: Record<string, INodeType | IVersionedNodeType>;
	/** The fields of each credential, by credential type. */
	credentials: Record<string, ICredentialDataDecryptedObject>;
	credentialTypes?: Record<string, ICredentialType>;
	/** The node to begin with; the first one otherwise. */
	startNode?: string;
	pinData?: IPinData;
	mode?: WorkflowExecuteMode;
	/** Gets every chunk, and makes the workflow stream. */
	onChunk?: (chunk: StructuredChunk) => void;
	/** Cancels the execution, as n8n's stop button does. */
	signal?: AbortSignal;
	executionId?: string;
	/** The data of a failed execution, to be run again from the node that failed, as n8n's Retry does. */
	resume?: IRunExecutionData;
	/** The data of an execution whose wait is over. */
	wake?: IRunExecutionData;
	onNodeStart?: (node: string) => void;
	onNodeEnd?: (node: string) => void;
}

let binaryData: Promise<void> | undefined;

/** Runs a workflow through n8n's own engine, embedded: no server, no database, no editor. */
export async function runWorkflow(run: EngineRun): Promise<IRun> {
	await (binaryData ??= Container.get(BinaryDataService).init());
	const mode = run.mode ?? (run.onChunk ? 'webhook' : 'trigger');
	const nodeTypes = new NodeTypes(run.nodeTypes);
	const { nodes, connections, name = 'workflow', settings = {} } = run.workflow;
	const workflow = new Workflow({
		id: 'workflow',
		name,
		nodes,
		connections,
		active: false,
		nodeTypes,
		settings,
	});
	const data = additionalData(run, workflow, mode);
	const execution = new WorkflowExecute(
		data,
		mode,
		run.wake ?? (run.resume ? toBeRetried(run.resume, nodes) : toBeBegun(workflow, run)),
	);
	const promise = execution.processRunExecutionData(workflow);
	const cancel = () => promise.cancel();
	run.signal?.addEventListener('abort', cancel, { once: true });
	if (run.signal?.aborted) cancel();
	try {
		return await promise;
	} finally {
		run.signal?.removeEventListener('abort', cancel);
	}
}

/** The items that a node put out in its last run. */
export function itemsOf(run: IRun, node: string, output = 0): INodeExecutionData[] {
	return run.data.resultData.runData[node]?.at(-1)?.data?.main?.[output] ?? [];
}

/** The bytes of a binary field. */
export async function bytesOf(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
	const binary = item.binary?.[field];
	if (binary === undefined) throw new Error(`The item has no binary field ${field}`);
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}

/** What n8n's own `run` begins with. That takes other arguments in n8n 1 than in n8n 2. */
function toBeBegun(workflow: Workflow, { startNode, pinData }: EngineRun): IRunExecutionData {
	const name = startNode ?? Object.keys(workflow.nodes)[0] ?? '';
	const node = workflow.getNode(name);
	if (node === null) throw new Error(`The workflow has no node ${name} to begin with`);
	return createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
		},
		...(pinData && { resultData: { pinData } }),
	});
}

/**
 * The data as they are saved and read again, without the failed run of the node that is now retried, and with the nodes
 * as they are now, as n8n's "Retry with currently saved workflow" has it.
 */
function toBeRetried(failed: IRunExecutionData, nodes: INode[]): IRunExecutionData {
	const data = deepCopy(failed);
	for (const step of data.executionData?.nodeExecutionStack ?? []) {
		step.node = nodes.find(({ name }) => name === step.node.name) ?? step.node;
	}
	const { resultData } = data;
	delete resultData.error;
	const runs = resultData.runData[resultData.lastNodeExecuted ?? ''];
	if (runs?.at(-1)?.error !== undefined) runs.pop();
	return data;
}

class NodeTypes implements INodeTypes {
	constructor(private readonly types: Record<string, INodeType | IVersionedNodeType>) {}

	getByName(type: string): INodeType | IVersionedNodeType {
		const found = this.types[type];
		if (found === undefined) throw new Error(`There is no node type ${type} here`);
		return found;
	}

	getByNameAndVersion(type: string, version?: number): INodeType {
		return NodeHelpers.getVersionedNodeType(this.getByName(type), version);
	}

	getKnownTypes(): IDataObject {
		return this.types as unknown as IDataObject;
	}
}

function additionalData(
	run: EngineRun,
	workflow: Workflow,
	mode: WorkflowExecuteMode,
): IWorkflowExecuteAdditionalData {
	const executionId = run.executionId ?? '1';
	const hooks = new ExecutionLifecycleHooks(mode, executionId, {
		id: workflow.id,
		name: workflow.name ?? '',
		active: false,
		isArchived: false,
		nodes: run.workflow.nodes,
		connections: run.workflow.connections,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
	});
	const { onChunk, onNodeStart, onNodeEnd } = run;
	if (onChunk) hooks.addHandler('sendChunk', (chunk) => onChunk(chunk));
	if (onNodeStart) hooks.addHandler('nodeExecuteBefore', (node) => onNodeStart(node));
	if (onNodeEnd) hooks.addHandler('nodeExecuteAfter', (node) => onNodeEnd(node));
	const notHere = async () =>
		await Promise.reject(new Error('This engine runs one workflow alone'));
	const local = 'http://localhost';
	return {
		hooks,
		executionId,
		streamingEnabled: onChunk !== undefined,
		credentialsHelper: new FixedCredentials(run.credentials, run.credentialTypes ?? {}),
		executeWorkflow: notHere,
		externalSecretsProxy: Container.get(ExternalSecretsProxy),
		getRunExecutionData: async () => await Promise.resolve(undefined),
		getRuntimeCredential: async () => await Promise.resolve(undefined),
		startRunnerTask: notHere,
		currentNodeExecutionIndex: 0,
		restApiUrl: local,
		instanceBaseUrl: local,
		formBaseUrl: local,
		formWaitingBaseUrl: local,
		formTestBaseUrl: local,
		webhookBaseUrl: local,
		webhookWaitingBaseUrl: local,
		webhookTestBaseUrl: local,
		mcpBaseUrl: local,
		mcpTestBaseUrl: local,
		variables: {},
		logAiEvent: () => {},
	};
}
