import 'reflect-metadata';
import './n8nSettings';
import { Container } from '@n8n/di';
import { BinaryDataService, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	deepCopy,
	type IConnections,
	type ICredentialType,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IVersionedNodeType,
	type IWorkflowExecuteAdditionalData,
	type IPinData,
	type IRun,
	type IRunExecutionData,
	type IWorkflowSettings,
	type StructuredChunk,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { additionalData, hooksOf } from './additionalData';
import { FixedCredentials, type KnownFields } from './fixedCredentials';
import { NodeTypes } from './nodeTypes';

/** A workflow as n8n exports it. */
export interface WorkflowFile {
	id?: string;
	name?: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
}

export interface EngineRun {
	workflow: WorkflowFile;
	/** By full type, such as `n8n-nodes-generation-service.chatCompletion`. */
	nodeTypes: Record<string, INodeType | IVersionedNodeType>;
	/** The fields of each credential by its type, or what finds them whenever a node asks. */
	credentials: KnownFields;
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
	onNodeEnd?: (node: string, error?: Error) => void;
	/** n8n stores the execution: at its end, at a wait, or at once when it is stopped. */
	onSaved?: (run: IRun) => void;
	/** What n8n's server tells its engine besides. */
	additional?: Partial<IWorkflowExecuteAdditionalData>;
}

let binaryData: Promise<void> | undefined;

/** Runs a workflow in n8n's own engine, without a server, a database or an editor. */
export async function runWorkflow(run: EngineRun): Promise<IRun> {
	await (binaryData ??= Container.get(BinaryDataService).init());
	const { ended, cancel } = startWorkflow(run);
	run.signal?.addEventListener('abort', cancel, { once: true });
	if (run.signal?.aborted) cancel();
	try {
		return await ended;
	} finally {
		run.signal?.removeEventListener('abort', cancel);
	}
}

/** The same, while it runs: `cancel` is n8n's Stop. */
export function startWorkflow(run: EngineRun): { ended: Promise<IRun>; cancel: () => void } {
	const mode = run.mode ?? (run.onChunk ? 'webhook' : 'trigger');
	const { nodes } = run.workflow;
	const workflow = workflowOf(run);
	const execution = new WorkflowExecute(
		dataOf(run, workflow, mode),
		mode,
		run.waitingData ??
			(run.retryData
				? prepareRetry(run.retryData, nodes)
				: initialData(nodes, run.startNode, run.pinData)),
	);
	const promise = execution.processRunExecutionData(workflow);
	return { ended: Promise.resolve(promise), cancel: () => promise.cancel() };
}

export function workflowOf({ workflow, nodeTypes }: Pick<EngineRun, 'workflow' | 'nodeTypes'>) {
	const { id = 'workflow', name = 'workflow', nodes, connections, settings = {} } = workflow;
	const types = new NodeTypes(nodeTypes);
	return new Workflow({ id, name, nodes, connections, active: false, nodeTypes: types, settings });
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

/** What n8n's own `run` starts with. */
export function initialData(
	nodes: INode[],
	startNode = nodes[0]?.name ?? '',
	pinData?: IPinData,
): IRunExecutionData {
	const node = nodes.find(({ name }) => name === startNode);
	if (node === undefined) throw new Error(`The workflow has no node ${startNode} to start with`);
	return createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
		},
		...(pinData && { resultData: { pinData } }),
	});
}

/**
 * A copy of the saved data without the failed run of the node that is retried, like n8n's Retry (executions/execution.service.ts).
 * @param nodes of the current workflow, as for "Retry with currently saved workflow"
 */
export function prepareRetry(failed: IRunExecutionData, nodes: INode[] = []): IRunExecutionData {
	const data = deepCopy(failed);
	for (const step of data.executionData?.nodeExecutionStack ?? []) {
		step.node = nodes.find(({ name }) => name === step.node.name) ?? step.node;
	}
	const { resultData } = data;
	const { lastNodeExecuted } = resultData;
	if (lastNodeExecuted === undefined) return data;
	delete resultData.error;
	const runs = resultData.runData[lastNodeExecuted];
	if (runs?.at(-1)?.error !== undefined) runs.pop();
	return data;
}

function dataOf(run: EngineRun, workflow: Workflow, mode: WorkflowExecuteMode) {
	const { onChunk, onNodeStart, onNodeEnd, onSaved, executionId = '1' } = run;
	const { id, name } = workflow;
	const hooks = hooksOf(mode, executionId, { ...run.workflow, id, name: name ?? '' });
	if (onChunk) hooks.addHandler('sendChunk', (chunk) => onChunk(chunk));
	if (onNodeStart) hooks.addHandler('nodeExecuteBefore', (node) => onNodeStart(node));
	if (onNodeEnd) hooks.addHandler('nodeExecuteAfter', (node, { error }) => onNodeEnd(node, error));
	if (onSaved) hooks.addHandler('workflowExecuteAfter', (saved) => onSaved(saved));
	return additionalData({
		hooks,
		executionId,
		streamingEnabled: onChunk !== undefined,
		credentialsHelper: new FixedCredentials(run.credentials, run.credentialTypes ?? {}),
		...run.additional,
	});
}
