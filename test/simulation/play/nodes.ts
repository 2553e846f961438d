import {
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeType,
	type INodeExecutionData,
	type INodeTypeDescription,
	type IWorkflowBase,
	type NodeOutput,
	NodeConnectionTypes,
	NodeOperationError,
} from 'n8n-workflow';
import { loopOverItems, passThrough } from '../../engine/stubNodes';

/** The nodes of n8n that a scenario has beside ours. */
export function stubNodes(): Record<string, INodeType> {
	return {
		'simulation.passOn': passThrough,
		'simulation.chatTrigger': passThrough,
		'simulation.loop': loopOverItems,
		'simulation.agent': new Agent(),
		'simulation.executeWorkflow': new ExecuteWorkflow(),
		'simulation.split': new Split(),
		'simulation.fails': new FailsAtFirst(),
	};
}

const PLAIN: Omit<INodeTypeDescription, 'displayName' | 'name' | 'description'> = {
	group: ['transform'],
	version: 1,
	defaults: { name: 'Stub' },
	inputs: [NodeConnectionTypes.Main],
	outputs: [NodeConnectionTypes.Main],
	properties: [],
};

/** Hands on its items at its second output, and the same ones in reverse at its first. */
class Split implements INodeType {
	description: INodeTypeDescription = {
		...PLAIN,
		displayName: 'Split',
		name: 'split',
		description: 'Has two outputs',
		usableAsTool: true,
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData().map((each, item) => ({ ...each, pairedItem: { item } }));
		return await Promise.resolve([items.toReversed(), items]);
	}
}

/** A node that works when the execution is retried. */
class FailsAtFirst implements INodeType {
	description: INodeTypeDescription = {
		...PLAIN,
		displayName: 'Fails At First',
		name: 'failsAtFirst',
		description: 'Works when the execution is retried',
		usableAsTool: true,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		if (this.getMode() !== 'retry') throw new NodeOperationError(this.getNode(), 'Not yet');
		return await Promise.resolve([this.getInputData()]);
	}
}

type Messages = Array<[role: string, text: string]>;

/** The part of a model that an agent needs. */
interface ChatModel {
	invoke(messages: Messages): Promise<ModelAnswer>;
	stream(messages: Messages): Promise<AsyncIterable<ModelAnswer>>;
}

interface ModelAnswer {
	text: string;
	tool_calls?: IDataObject[];
	/** Of what a stream sends. */
	concat?(next: ModelAnswer): ModelAnswer;
}

/** What an agent's model answered before its tools are called. */
interface Asked {
	answers: INodeExecutionData[];
}

/**
 * An agent that asks its model, if it has one, and calls each of its tools once for each item, with the item's prompt,
 * as AI Agent 3 does.
 */
class Agent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: 'Calls its tools',
		defaults: { name: 'Agent' },
		inputs: [
			NodeConnectionTypes.Main,
			NodeConnectionTypes.AiLanguageModel,
			NodeConnectionTypes.AiTool,
		],
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
			const results = json.map((result) => ({
				json: { result } as unknown as IDataObject,
				pairedItem: { item: 0 },
			}));
			return [[...(response?.metadata as Asked).answers, ...results]];
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
		const answers = await askModel(this);
		if (actions.length === 0) return [answers];
		return { actions, metadata: { answers } satisfies Asked };
	}
}

/** Asks the model the prompt of each item, every second one as a stream. */
async function askModel(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const connectionType = NodeConnectionTypes.AiLanguageModel;
	const [node] = context.getParentNodes(context.getNode().name, { connectionType, depth: 1 });
	if (node === undefined) return [];
	const [model] = (await context.getInputConnectionData(connectionType, 0)) as ChatModel[];
	if (model === undefined) return [];
	const answers: INodeExecutionData[] = [];
	for (const [item, { json }] of context.getInputData().entries()) {
		const prompt = `${String(json.p)} for ${node.name}`;
		const { text, tool_calls: calls = [] } = await (item % 2 === 0 ? whole : streamed)(model, [
			['user', prompt],
		]);
		answers.push({ json: { prompt, text, calls }, pairedItem: { item } });
	}
	return answers;
}

async function whole(model: ChatModel, messages: Messages): Promise<ModelAnswer> {
	return await model.invoke(messages);
}

async function streamed(model: ChatModel, messages: Messages): Promise<ModelAnswer> {
	let all: ModelAnswer | undefined;
	for await (const chunk of await model.stream(messages)) all = all?.concat?.(chunk) ?? chunk;
	return all ?? { text: '' };
}

type Call = 'once' | 'each' | 'withoutWaiting';

/** n8n's Execute Workflow 1.3, with the sub-workflow in a parameter. */
class ExecuteWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Execute Workflow',
		name: 'executeWorkflow',
		group: ['transform'],
		version: 1,
		description: 'Calls a workflow',
		defaults: { name: 'Execute Workflow' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		properties: [
			{ displayName: 'Call', name: 'call', type: 'string', default: 'once' },
			{ displayName: 'Workflow', name: 'workflow', type: 'json', default: {} },
		],
	};

	async execute(this: IExecuteFunctions): Promise<NodeOutput> {
		// Read as it is: its expressions are those of the sub-workflow.
		const { call, workflow } = this.getNode().parameters as unknown as {
			call: Call;
			workflow: IWorkflowBase;
		};
		const items = this.getInputData();
		const execute = async (given: INodeExecutionData[]) =>
			await this.executeWorkflow({ code: workflow }, given, undefined, {
				doNotWaitToFinish: call === 'withoutWaiting',
				parentExecution: {
					executionId: this.getExecutionId(),
					workflowId: 'workflow',
					shouldResume: call !== 'withoutWaiting',
				},
			});
		if (call === 'withoutWaiting') {
			await execute(items);
			return [items];
		}
		if (call === 'once') return [(await execute(items)).data[0] ?? []];
		const returned: INodeExecutionData[] = [];
		for (const [item, each] of items.entries()) {
			const [output] = (await execute([each])).data;
			returned.push(...(output ?? []).map((one) => ({ ...one, pairedItem: { item } })));
		}
		return [returned];
	}
}
