import {
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type NodeOutput,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { LoopOverItems } from '../../engine/loopOverItems';
import { PassThrough } from '../../engine/passThrough';

/** The nodes of n8n that a life has beside ours. */
export function stubNodes(): Record<string, INodeType> {
	return {
		'simulation.passOn': new PassThrough(),
		'simulation.loop': new LoopOverItems(),
		'simulation.agent': new Agent(),
	};
}

/** An agent that calls each of its tools once for each item, with the item's prompt, as AI Agent 3 does. */
class Agent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: 'Calls its tools',
		defaults: { name: 'Agent' },
		inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		properties: [],
	};

	async execute(this: IExecuteFunctions, response?: EngineResponse): Promise<NodeOutput> {
		const done = response?.actionResponses ?? [];
		if (done.length > 0) {
			const json = done.map(({ data, action }) => ({
				tool: action.nodeName,
				prompt: action.input.prompt,
				result: (data.data?.ai_tool?.[0]?.map((item) => item.json) ?? null) as IDataObject[] | null,
				error: data.error?.message ?? null,
			}));
			return [
				json.map((result) => ({
					json: { result } as unknown as IDataObject,
					pairedItem: { item: 0 },
				})),
			];
		}
		const tools = this.getParentNodes(this.getNode().name, {
			connectionType: NodeConnectionTypes.AiTool,
			depth: 1,
		});
		const actions = this.getInputData().flatMap(({ json }, itemIndex) =>
			tools.map(({ name }) => ({
				actionType: 'ExecutionNodeAction' as const,
				nodeName: name,
				input: { prompt: `${String(json.p)} for ${name}` },
				type: NodeConnectionTypes.AiTool,
				id: `call-${itemIndex}-${name}`,
				metadata: { itemIndex },
			})),
		);
		if (actions.length === 0) return [[]];
		return await Promise.resolve({ actions, metadata: {} });
	}
}
