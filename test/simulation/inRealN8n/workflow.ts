import type { INode, INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from '../../../demo/engine';
import type { Credential } from '../../../e2e/host/n8nApi';
import type { Scenario } from '../scenario/schema';
import { itemsOfScenario, workflowOfScenario } from '../scenario/workflow';

/** n8n's own nodes, in the place of the stubs of a scenario. */
const REAL: Record<string, Pick<INode, 'type' | 'typeVersion' | 'parameters'>> = {
	'simulation.passOn': { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
	'simulation.loop': {
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { options: {} },
	},
};

interface RealScenario {
	/** What the trigger starts. */
	workflow: WorkflowFile;
	/** The sub-workflow that it calls. */
	called: WorkflowFile | undefined;
	/** The body of the request to its webhook. */
	body: object;
}

/** The workflow of a scenario with n8n's own nodes, started by a webhook. */
export function realScenario(
	scenario: Scenario,
	name: string,
	credential: Credential,
): RealScenario {
	const { nodes, connections, settings } = workflowOfScenario(scenario);
	const call = nodes.find(({ type }) => type === 'simulation.executeWorkflow');
	const called = call?.parameters.workflow as unknown as WorkflowFile | undefined;
	const start: INode[] = [
		{
			...given('Webhook', 'n8n-nodes-base.webhook', 2.1),
			parameters: { httpMethod: 'POST', path: name, responseMode: 'onReceived', options: {} },
			webhookId: name,
		},
		{
			...given('Start', 'n8n-nodes-base.splitOut', 1),
			parameters: { fieldToSplitOut: 'body.items', options: {} },
		},
	];
	const toStart = { Webhook: { main: [[{ node: 'Start', type: 'main' as const, index: 0 }]] } };
	const rest = (of: INode[]) => of.filter((node) => node.name !== 'Start');
	const real = (of: INode[]) => of.map((node) => realNode(node, credential));
	const trigger = given('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1);
	return {
		workflow: {
			name,
			nodes: [...start, ...real(rest(nodes))],
			connections: { ...toStart, ...connections },
			...(settings && { settings }),
		},
		called: called && {
			...called,
			name: `${name}, called`,
			nodes: [
				{ ...trigger, parameters: { inputSource: 'passthrough' } },
				...real(rest(called.nodes)),
			],
		},
		body: { items: itemsOfScenario(scenario.items).map(({ json }) => json) },
	};
}

/** Lets the calling node call a workflow that is stored. */
export function callStored({ nodes }: WorkflowFile, { call }: Scenario, id: string): void {
	for (const node of nodes) {
		if (node.type !== 'simulation.executeWorkflow') continue;
		const parameters: INodeParameters = {
			workflowId: { __rl: true, mode: 'id', value: id },
			mode: call === 'each' ? 'each' : 'once',
			options: { waitForSubWorkflow: call !== 'withoutWaiting' },
		};
		Object.assign(node, { type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2, parameters });
	}
}

function realNode(node: INode, credential: Credential): INode {
	if (node.credentials) return { ...node, credentials: { generationServiceApi: credential } };
	return { ...node, ...REAL[node.type] };
}

function given(name: string, type: string, typeVersion: number): INode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters: {} };
}
