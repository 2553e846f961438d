import type { Credential } from '../host/n8nApi';

export interface NodeGiven {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: object;
	onError?: 'continueErrorOutput' | 'continueRegularOutput';
	webhookId?: string;
}

/** A node of this package: its short type, its parameters. */
export function ours(name: string, type: string, parameters: object): NodeGiven {
	return { name, type: `n8n-nodes-generation-service.${type}`, parameters };
}

export const manualStart: NodeGiven = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A workflow as n8n stores it: the nodes in a row, each connected to the next. */
export function workflowOf(name: string, credential: Credential, nodes: NodeGiven[]) {
	return {
		name,
		nodes: nodes.map((node, index) => ({
			typeVersion: 1,
			parameters: {},
			...node,
			id: `node-${index}`,
			position: [index * 220, 0],
			...(node.type.startsWith('n8n-nodes-generation-service.') && {
				credentials: { generationServiceApi: credential },
			}),
		})),
		connections: Object.fromEntries(
			nodes
				.slice(1)
				.map((node, index) => [
					nodes[index]?.name,
					{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
				]),
		),
		settings: { executionOrder: 'v1' },
	};
}
