import {
	type EngineResponse,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeParameters,
	type INodeType,
	type NodeOutput,
	NodeConnectionTypes,
	type StructuredChunk,
} from 'n8n-workflow';
import { itemsOf, runWorkflow } from '../../demo/engine';
import { asTool } from './asTool';
import { nodeOf } from './nodeOf';
import { nodeTypes, type NodeRun } from './runNode';
import { stubNode } from './stubNodes';

/** What a model returns, in the interface of n8n's agents. */
export interface Reply {
	content: unknown;
	text: string;
	tool_calls?: Array<{ id?: string; name: string; args: object }>;
	usage_metadata?: object;
	response_metadata?: object;
}

export interface Model {
	invoke(messages: unknown[], options?: { stop?: string[]; signal?: AbortSignal }): Promise<Reply>;
	stream(messages: unknown[]): Promise<AsyncIterable<Reply & { concat(next: Reply): Reply }>>;
	bindTools(tools: unknown[], options?: { tool_choice?: unknown }): Model;
	withStructuredOutput(
		schema: unknown,
		config?: { name?: string; includeRaw?: boolean },
	): { invoke(messages: unknown[]): Promise<unknown> };
	getNumTokens(content: unknown): Promise<number>;
}

export interface Tool {
	name: string;
	description: string;
	invoke(input: object): Promise<string>;
}

interface AgentInputs {
	model: Model;
	/** The model of an input item, as a chain asks for it. */
	modelOf: (item: number) => Promise<Model>;
	tools: Tool[];
}

export interface ToolCall {
	/** The name of the tool's node. */
	tool: string;
	input: IDataObject;
	/** As its model names it. */
	id?: string;
}

/** What an agent does: a function of its model and tools, or tool calls for the engine, as in newer agents. */
type Work = ((inputs: AgentInputs) => Promise<unknown>) | { toolCalls: ToolCall[] };

export interface ToolNode extends Pick<NodeRun, 'node' | 'parameters' | 'tries' | 'onError'> {
	name: string;
}

export interface AgentRun {
	work: Work;
	/** The parameters of the chat model, besides the model name. */
	model?: INodeParameters;
	/** Creates no chat model, for work that needs none. */
	withoutModel?: boolean;
	/** The nodes connected as tools. */
	tools?: ToolNode[];
	/** The JSON of the input items. Default: one empty item. */
	items?: IDataObject[];
	signal?: AbortSignal;
	/** Makes the workflow stream. */
	streaming?: boolean;
}

const PACKAGE = 'n8n-nodes-generation-service';

/** Runs a minimal agent with the chat model, and optionally with nodes as tools, in n8n's engine. */
export async function runAgent(
	service: { url: string; key: string },
	{
		work,
		model = {},
		withoutModel = false,
		tools = [],
		items = [{}],
		signal,
		streaming = false,
	}: AgentRun,
) {
	const nodes: INode[] = [
		nodeOf('Start', 'test.passThrough'),
		nodeOf('Agent', 'test.agent'),
		nodeOf('Model', `${PACKAGE}.lmChatGenerationService`, {
			model: { __rl: true, mode: 'id', value: 'heron-chat' },
			...model,
		}),
		...tools.map(({ node, name, parameters, tries, onError }) => ({
			...nodeOf(name, `${PACKAGE}.${node}Tool`, parameters),
			...(onError && { onError }),
			...(tries !== undefined && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
		})),
	];
	const connections: IConnections = {
		Start: connected(NodeConnectionTypes.Main),
		Model: connected(NodeConnectionTypes.AiLanguageModel),
	};
	for (const { name } of tools) connections[name] = connected(NodeConnectionTypes.AiTool);
	const chunks: StructuredChunk[] = [];
	const run = await runWorkflow({
		workflow: { nodes, connections, settings: { executionOrder: 'v1' } },
		nodeTypes: {
			...nodeTypes,
			'test.agent': agentNode(work, withoutModel),
			...Object.fromEntries(
				tools.map(({ node }) => [
					`${PACKAGE}.${node}Tool`,
					asTool(nodeTypes[`${PACKAGE}.${node}`]!),
				]),
			),
		},
		credentials: { generationServiceApi: { baseUrl: service.url, apiKey: service.key } },
		startNode: 'Start',
		pinData: { Start: items.map((json) => ({ json })) },
		...(signal && { signal }),
		...(streaming && { onChunk: (chunk: StructuredChunk) => chunks.push(chunk) }),
	});
	const result: unknown = itemsOf(run, 'Agent')[0]?.json.result;
	return { result, error: run.data.resultData.error, run, chunks };
}

/** Runs an agent that does this with its model, and has no tools. */
export async function useModel(
	service: { url: string; key: string },
	use: (model: Model) => Promise<unknown>,
	more: Omit<Partial<AgentRun>, 'work'> = {},
) {
	return await runAgent(service, { work: async ({ model }) => await use(model), ...more });
}

/** What an agent makes of a stream. */
export async function merged(stream: AsyncIterable<Reply & { concat(next: Reply): Reply }>) {
	let whole: Reply | undefined;
	for await (const chunk of stream)
		whole = whole === undefined ? chunk : (whole as typeof chunk).concat(chunk);
	return whole!;
}

function connected(type: 'main' | 'ai_languageModel' | 'ai_tool') {
	return { [type]: [[{ node: 'Agent', type, index: 0 }]] };
}

function agentNode(work: Work, withoutModel: boolean): INodeType {
	return stubNode(
		'Agent',
		async function (this: IExecuteFunctions, response?: EngineResponse): Promise<NodeOutput> {
			const output = (result: unknown) => [[{ json: { result } as IDataObject }]];
			const connectedTo = async (type: 'AiLanguageModel' | 'AiTool', item = 0) =>
				await this.getInputConnectionData(NodeConnectionTypes[type], item);
			if (typeof work === 'function') {
				return output(
					await work({
						model: (withoutModel ? undefined : await connectedTo('AiLanguageModel')) as Model,
						modelOf: async (item) => (await connectedTo('AiLanguageModel', item)) as Model,
						tools: (await connectedTo('AiTool')) as Tool[],
					}),
				);
			}
			const done = response?.actionResponses ?? [];
			if (done.length > 0) {
				return output(
					done.map(({ data }) => data.data?.ai_tool?.[0]?.map(({ json }) => json) ?? data.error),
				);
			}
			return {
				actions: work.toolCalls.map(({ tool, input, id }, index) => ({
					actionType: 'ExecutionNodeAction',
					nodeName: tool,
					input,
					type: NodeConnectionTypes.AiTool,
					id: id ?? `call-${index}`,
					metadata: { itemIndex: 0 },
				})),
				metadata: {},
			};
		},
		{
			inputs: [
				NodeConnectionTypes.Main,
				{ type: NodeConnectionTypes.AiLanguageModel, required: true, maxConnections: 1 },
				NodeConnectionTypes.AiTool,
			],
		},
	);
}
