import type { Credential } from '../host/n8nApi';

export interface NodeGiven {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: object;
	onError?: 'continueErrorOutput' | 'continueRegularOutput';
	retryOnFail?: boolean;
	maxTries?: number;
	webhookId?: string;
}

/** A node of this package, by its short type. */
export function ours(name: string, type: string, parameters: object): NodeGiven {
	return { name, type: `n8n-nodes-generation-service.${type}`, parameters };
}

export const manualStart: NodeGiven = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A workflow in n8n's format, with each node connected to the next. */
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

/** Connects the chat model of this package to the last node of a workflow, an agent or a chain. */
export function withChatModel(
	workflow: ReturnType<typeof workflowOf>,
	credential: Credential,
	parameters: object,
) {
	const { nodes, connections } = workflow;
	const root = nodes.at(-1);
	const chatModel = {
		...ours('Generation Service Chat Model', 'lmChatGenerationService', parameters),
		id: 'model',
		typeVersion: 1,
		position: [(nodes.length - 1) * 220, 220],
		credentials: { generationServiceApi: credential },
	};
	return {
		...workflow,
		nodes: [...nodes, chatModel],
		connections: {
			...connections,
			[chatModel.name]: {
				ai_languageModel: [[{ node: root?.name, type: 'ai_languageModel', index: 0 }]],
			},
		},
	};
}

/** From a node to another: by `main` to its first input, or by another type or to another input. */
type Connection = [from: string, to: string, type?: string, input?: number];

/** A workflow in n8n's format, with these connections. */
export function graphOf(
	name: string,
	credential: Credential,
	nodes: NodeGiven[],
	connections: Connection[],
) {
	const from = (node: string) => {
		const outgoing = connections.filter(([source]) => source === node);
		const targets = outgoing.map(([, target, type = 'main', index = 0]) => ({
			node: target,
			type: type,
			index,
		}));
		return Object.fromEntries(
			targets.map(({ type }) => [type, [targets.filter((target) => target.type === type)]]),
		);
	};
	const workflow = workflowOf(name, credential, nodes);
	return {
		...workflow,
		connections: Object.fromEntries(nodes.map((node) => [node.name, from(node.name)])),
	};
}
