import { Container } from '@n8n/di';
import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import type {
	IConnections,
	INode,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** A workflow as n8n's server knows it. */
interface KnownWorkflow {
	id: string;
	name?: string;
	nodes: INode[];
	connections: IConnections;
}

/** The hooks of one execution, without any handler. */
export function hooksOf(
	mode: WorkflowExecuteMode,
	executionId: string,
	{ id, name = '', nodes, connections }: KnownWorkflow,
): ExecutionLifecycleHooks {
	return new ExecutionLifecycleHooks(mode, executionId, {
		id,
		name,
		active: false,
		isArchived: false,
		nodes,
		connections,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
	});
}

type Known = 'hooks' | 'executionId' | 'credentialsHelper';

/** What n8n's server tells its engine of an execution. */
export function additionalData(
	known: Pick<IWorkflowExecuteAdditionalData, Known> & Partial<IWorkflowExecuteAdditionalData>,
): IWorkflowExecuteAdditionalData {
	const unsupported = async () =>
		await Promise.reject(new Error('This engine does not support it'));
	const local = 'http://localhost';
	return {
		streamingEnabled: false,
		executeWorkflow: unsupported,
		externalSecretsProxy: Container.get(ExternalSecretsProxy),
		getRunExecutionData: async () => await Promise.resolve(undefined),
		getRuntimeCredential: async () => await Promise.resolve(undefined),
		startRunnerTask: unsupported,
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
		...known,
	};
}
