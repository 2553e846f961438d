import 'reflect-metadata';
import './n8nSettings';
import { Container } from '@n8n/di';
import { BinaryDataService, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	deepCopy,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IVersionedNodeType,
	type IPinData,
	type IRun,
	type IRunExecutionData,
	type IWorkflowSettings,
	type StructuredChunk,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { additionalData, hooksOf } from './additionalData';
import { FixedCredentials } from './fixedCredentials';
import { NodeTypes } from './nodeTypes';

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
	/** Where to start; by default at the first node. */
	startNode?: string;
	pinData?: IPinData;
	mode?: WorkflowExecuteMode;
	/** Receives every chunk. Setting it makes the workflow stream. */
	onChunk?: (chunk: StructuredChunk) => void;
	/** Stops the execution, like n8n's stop button. */
	signal?: AbortSignal;
	executionId?: string;
	/** The data of a failed execution, to run again from the failed node, like n8n's Retry. */
	retryData?: IRunExecutionData;
	/** The data of a waiting execution, to continue after its wait. */
	waitingData?: IRunExecutionData;
	onNodeStart?: (node: string) => void;
	onNodeEnd?: (node: string) => void;
}

let binaryData: Promise<void> | undefined;

/** Runs a workflow in n8n's own engine, without a server, a database or an editor. */
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
	const execution = new WorkflowExecute(
		dataOf(run, workflow, mode),
		mode,
		run.waitingData ??
			(run.retryData ? prepareRetry(run.retryData, nodes) : initialData(workflow, run)),
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

/** The output items of a node's last run. */
export function itemsOf(run: IRun, node: string, output = 0): INodeExecutionData[] {
	return run.data.resultData.runData[node]?.at(-1)?.data?.main?.[output] ?? [];
}

/** The bytes of a binary field. */
export async function bytesOf(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
	const binary = item.binary?.[field];
	if (binary === undefined) throw new Error(`The item has no binary field ${field}`);
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}

/** What n8n's own `run` starts with. Its arguments differ between n8n 1 and n8n 2. */
function initialData(workflow: Workflow, { startNode, pinData }: EngineRun): IRunExecutionData {
	const name = startNode ?? Object.keys(workflow.nodes)[0] ?? '';
	const node = workflow.getNode(name);
	if (node === null) throw new Error(`The workflow has no node ${name} to start with`);
	return createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
		},
		...(pinData && { resultData: { pinData } }),
	});
}

/**
 * A copy of the saved data without the failed run of the node that is retried, and with the nodes of the current
 * workflow, like n8n's "Retry with currently saved workflow".
 */
function prepareRetry(failed: IRunExecutionData, nodes: INode[]): IRunExecutionData {
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

function dataOf(run: EngineRun, workflow: Workflow, mode: WorkflowExecuteMode) {
	const { onChunk, onNodeStart, onNodeEnd, executionId = '1' } = run;
	const { id, name } = workflow;
	const hooks = hooksOf(mode, executionId, { ...run.workflow, id, name: name ?? '' });
	if (onChunk) hooks.addHandler('sendChunk', (chunk) => onChunk(chunk));
	if (onNodeStart) hooks.addHandler('nodeExecuteBefore', (node) => onNodeStart(node));
	if (onNodeEnd) hooks.addHandler('nodeExecuteAfter', (node) => onNodeEnd(node));
	return additionalData({
		hooks,
		executionId,
		streamingEnabled: onChunk !== undefined,
		credentialsHelper: new FixedCredentials(run.credentials, run.credentialTypes ?? {}),
	});
}
