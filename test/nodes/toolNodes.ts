import type { Simulator } from '../../simulator';
import { type AgentRun, runAgent, type Tool, type ToolNode } from '../engine/runAgent';

const locator = (value: string) => ({ __rl: true, mode: 'id', value });
export const makeVideo: ToolNode = {
	node: 'videoGeneration',
	name: 'Make a Video',
	parameters: {
		model: locator('kite-motion'),
		prompt: "={{ $fromAI('prompt', 'What the video shows', 'string') }}",
		duration: "={{ $fromAI('seconds', 'How long it is', 'number') }}",
		waitOptions: { pollInterval: 0.01 },
	},
};
export const askSomeone: ToolNode = {
	node: 'chatCompletion',
	name: 'Ask an Expert',
	parameters: {
		model: locator('lantern-reason'),
		messages: { values: [{ role: 'user', content: "={{ $fromAI('question') }}" }] },
	},
};
export const findModels: ToolNode = {
	node: 'listModels',
	name: 'Find Models',
	parameters: { returnAll: true, filters: { search: "={{ $fromAI('word') }}" } },
};
export const boat = { prompt: 'A paper boat in the rain', seconds: 3 };

/**
 * The ways of n8n's agents: up to version 2 they call their tools themselves, since then the engine does. In n8n 1 the
 * engine hands an agent the error of a tool only if that has On Error: Continue.
 */
export type Way = 'agent' | 'engine' | 'engine, with On Error: Continue';

/** What the model is told of one call of a tool. */
export async function callTool(
	simulator: Simulator,
	way: Way,
	tool: ToolNode,
	input: Record<string, string | number>,
	more: Partial<AgentRun> = {},
) {
	const called = async ({ tools: [only] }: { tools: Tool[] }) =>
		await only!.invoke(input).catch((error: Error) => error.message);
	const { result, ...run } = await runAgent(simulator, {
		work: way === 'agent' ? called : { toolCalls: [{ tool: tool.name, input }] },
		withoutModel: true,
		tools: [onError(way, tool)],
		...more,
	});
	return { told: JSON.stringify(result), ...run };
}

/** The tool, set up for this way. */
export function onError(way: Way, tool: ToolNode): ToolNode {
	return way.includes('Continue') ? { ...tool, onError: 'continueRegularOutput' } : tool;
}
