import type { Simulator } from '../../../simulator';
import { type AgentRun, runAgent, type Tool, type ToolNode } from '../../engine/runAgent';

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

/** Who calls the tools. AI Agent calls them itself up to version 2, and leaves it to the engine since version 3. */
export type Caller = 'agent' | 'engine' | 'engine, with On Error: Continue';

/** Calls a tool once and returns the result that the model gets. */
export async function callTool(
	simulator: Simulator,
	caller: Caller,
	tool: ToolNode,
	input: Record<string, string | number>,
	more: Partial<AgentRun> = {},
) {
	const callIt = async ({ tools: [only] }: { tools: Tool[] }) =>
		await only!.invoke(input).catch((error: Error) => error.message);
	const { result, ...run } = await runAgent(simulator, {
		work: caller === 'agent' ? callIt : { toolCalls: [{ tool: tool.name, input }] },
		withoutModel: true,
		tools: [withOnError(caller, tool)],
		...more,
	});
	return { result: JSON.stringify(result), ...run };
}

/** The tool with the On Error setting that the caller needs. */
export function withOnError(caller: Caller, tool: ToolNode): ToolNode {
	return caller.includes('Continue') ? { ...tool, onError: 'continueRegularOutput' } : tool;
}
