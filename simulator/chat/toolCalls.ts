import { z } from 'zod';
import type { ChatRequest } from '../requests';
import { fitSchema, names } from './fitSchema';

export interface ToolCall {
	name: string;
	/** JSON. */
	arguments: string;
}

const tool = z.looseObject({
	function: z.looseObject({
		name: z.string(),
		parameters: z.looseObject({}).default({}),
	}),
});

type Tool = z.infer<typeof tool>['function'];

const toolChoice = z.union([
	z.enum(['none', 'auto', 'required']),
	z.looseObject({ function: z.looseObject({ name: z.string() }) }),
]);

/** The tools that a request offers; what has another shape than the usual one is none. */
function offered({ tools }: ChatRequest): Tool[] {
	if (!Array.isArray(tools)) return [];
	return tools.flatMap((entry) => tool.safeParse(entry).data?.function ?? []);
}

/**
 * The tools that the simulated model calls: those that the last message, being the user's, orders as
 * `[call:name {"some": "arguments"}]`, else those whose name it says in plain words, else what `tool_choice` demands,
 * else the one that the system message wants the final answer in.
 */
export function toolCalls(request: ChatRequest): ToolCall[] {
	const tools = offered(request);
	const choice = toolChoice.safeParse(request.tool_choice).data ?? 'auto';
	if (tools.length === 0 || choice === 'none') return [];
	const asked = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
	const toCall = (one: Tool) => ({
		name: one.name,
		arguments: JSON.stringify(fitSchema({ type: 'object', ...one.parameters }, asked)),
	});
	if (request.messages.at(-1)?.role === 'user') {
		const orders = ordersIn(asked);
		if (orders.length > 0)
			return orders.filter(({ name }) => tools.some((one) => one.name === name));
		const said = tools.filter(({ name }) => names(asked, name));
		const wanted = said.length > 0 ? said : demanded(choice, tools);
		if (wanted.length > 0) return wanted.map(toCall);
	}
	return finalTool(request, tools).map(toCall);
}

/** How n8n's AI Agent asks for its final answer where it has an output parser. */
const FINAL_TOOL = /you MUST use the `([\w-]+)` tool/;

function finalTool({ messages }: ChatRequest, tools: Tool[]): Tool[] {
	const system = messages.find(({ role }) => role === 'system')?.content ?? '';
	const wanted = FINAL_TOOL.exec(system)?.[1] ?? '';
	const sinceAsked = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
	const isCalled = sinceAsked.some((one) =>
		JSON.stringify(one.tool_calls ?? []).includes(`"${wanted}"`),
	);
	return isCalled ? [] : tools.filter(({ name }) => name === wanted);
}

function demanded(choice: z.infer<typeof toolChoice>, tools: Tool[]): Tool[] {
	if (typeof choice === 'object') return tools.filter(({ name }) => name === choice.function.name);
	return choice === 'required' ? tools.slice(0, 1) : [];
}

function ordersIn(text: string): ToolCall[] {
	return [...text.matchAll(/\[call:([\w-]+)/g)].flatMap(
		({ 0: { length }, 1: name = '', index }) => {
			const rest = text.slice(index + length);
			const ends = [...rest.matchAll(/\]/g)].map((end) => rest.slice(0, end.index).trim() || '{}');
			const given = ends.find(isObject);
			return given === undefined ? [] : [{ name, arguments: given }];
		},
	);
}

function isObject(text: string): boolean {
	try {
		return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).success;
	} catch {
		return false;
	}
}
