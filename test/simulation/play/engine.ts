import 'reflect-metadata';
import '../../../demo/n8nSettings';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { BinaryDataService, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
	LoggerProxy,
	type RelatedExecution,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { additionalData, hooksOf } from '../../../demo/additionalData';
import type { WorkflowFile } from '../../../demo/engine';
import { FixedCredentials } from '../../../demo/fixedCredentials';
import { NodeTypes } from '../../../demo/nodeTypes';
import { MemoryBinaries } from './binaries';

/** What a process of n8n has. */
export interface EngineHost {
	nodeTypes: Record<string, INodeType>;
	/** Read whenever a node asks: a credential may be edited or deleted meanwhile. */
	credentials: () => Record<string, ICredentialDataDecryptedObject>;
	/** Runs a sub-workflow for Execute Workflow: what n8n's server does. */
	executeWorkflow?: IWorkflowExecuteAdditionalData['executeWorkflow'];
	onNodeStart: (executionId: string, node: string) => void;
	onNodeEnd: (executionId: string, node: string, error: string | undefined) => void;
}

export interface EngineRun {
	executionId: string;
	workflow: WorkflowFile & { id: string };
	mode: WorkflowExecuteMode;
	data: IRunExecutionData;
	/** Timeout Workflow: milliseconds since the Unix epoch. */
	timesOutAt?: number | undefined;
	/** n8n stores the execution: at its end, at a wait, or at once when it is stopped. */
	onSaved: (run: IRun) => void;
}

/** An execution in n8n's engine. */
export interface RunningExecution {
	/** Never rejects. */
	ended: Promise<IRun>;
	/** Stop. */
	cancel: () => void;
}

type Line = (level: string, text: string) => void;
let writeLine: Line = () => {};

/** Where n8n's log goes from now on. */
export function logTo(line: Line): void {
	writeLine = line;
}

let binaries = new MemoryBinaries();

/** Gives n8n an empty storage for binary data. */
export function openBinaries(): MemoryBinaries {
	binaries = new MemoryBinaries();
	const service = Container.get(BinaryDataService);
	for (const mode of ['filesystem', 'filesystem-v2'])
		service.setManager(mode as never, binaries as never);
	return binaries;
}

const logger = Object.fromEntries(
	['error', 'warn', 'info', 'debug', 'verbose'].map((level) => [
		level,
		(text: unknown, meta?: object) => {
			if (level === 'debug' && !String(text).includes(' attempt ')) return;
			const words = text instanceof Error ? text.message : String(text);
			writeLine(level, meta === undefined ? words : `${words} ${safeJson(meta)}`);
		},
	]),
);
Object.assign(logger, { scoped: () => logger });
Container.set(Logger, logger as never);
LoggerProxy.init(logger as never);

function safeJson(meta: object): string {
	try {
		return JSON.stringify(meta);
	} catch {
		return '';
	}
}

/** The data of a new execution. */
export function newRun(
	workflow: WorkflowFile,
	items: INodeExecutionData[],
	start = 'Start',
): IRunExecutionData {
	const node = workflow.nodes.find(({ name }) => name === start) as INode;
	return createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
		},
		resultData: { pinData: { [start]: items } },
	});
}

/** The data of an execution that Execute Workflow starts (workflow-execute-additional-data.ts: `getRunData`). */
export function newSubRun(
	{ nodes: [node] }: WorkflowFile,
	items: INodeExecutionData[],
	parentExecution: RelatedExecution | undefined,
): IRunExecutionData {
	const given = parentExecution && { parentExecution };
	const entry = {
		node: node as INode,
		data: { main: [items] },
		metadata: { ...given },
		source: null,
	};
	return createRunExecutionData({ executionData: { nodeExecutionStack: [entry] }, ...given });
}

export function workflowOf(
	{ nodeTypes }: Pick<EngineHost, 'nodeTypes'>,
	{ id, name = 'workflow', nodes, connections, settings = {} }: EngineRun['workflow'],
): Workflow {
	return new Workflow({
		id,
		name,
		nodes: structuredClone(nodes),
		connections,
		active: false,
		nodeTypes: new NodeTypes(nodeTypes),
		settings,
	});
}

/** Starts an execution, or continues one from its data, in n8n's own engine. */
export function startRun(host: EngineHost, run: EngineRun): RunningExecution {
	const workflow = workflowOf(host, run.workflow);
	const execute = new WorkflowExecute(dataOf(host, run), run.mode, run.data);
	const promise = execute.processRunExecutionData(workflow);
	return { ended: Promise.resolve(promise), cancel: () => promise.cancel() };
}

function dataOf(
	host: EngineHost,
	{ executionId, workflow, mode, timesOutAt, onSaved }: EngineRun,
): IWorkflowExecuteAdditionalData {
	const hooks = hooksOf(mode, executionId, workflow);
	hooks.addHandler('nodeExecuteBefore', (node) => host.onNodeStart(executionId, node));
	hooks.addHandler('nodeExecuteAfter', (node, { error }) =>
		host.onNodeEnd(executionId, node, error?.message),
	);
	hooks.addHandler('workflowExecuteAfter', (run) => onSaved(run));
	return additionalData({
		hooks,
		executionId,
		credentialsHelper: new LatestCredentials(host.credentials),
		...(host.executeWorkflow && { executeWorkflow: host.executeWorkflow }),
		...(timesOutAt !== undefined && { executionTimeoutTimestamp: timesOutAt }),
	});
}

class LatestCredentials extends FixedCredentials {
	constructor(private readonly latest: EngineHost['credentials']) {
		super({}, {});
	}

	override async getDecrypted(
		data: IWorkflowExecuteAdditionalData,
		details: { name: string },
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		const fields = this.latest()[details.name];
		if (fields) return await Promise.resolve({ ...fields });
		return await super.getDecrypted(data, details, type);
	}
}
