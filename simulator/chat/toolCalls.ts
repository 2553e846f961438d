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
 * `[call:name {"some": "arguments"}]`, else those whose name it says in plain words, else what `tool_choice` demands.
 */
export function toolCalls(request: ChatRequest): ToolCall[] {
	const last = request.messages.at(-1);
	const tools = offered(request);
	if (last?.role !== 'user' || tools.length === 0) return [];
	const choice = toolChoice.safeParse(request.tool_choice).data ?? 'auto';
	if (choice === 'none') return [];
	const orders = ordersIn(last.content);
	const isOffered = ({ name }: { name: string }) => tools.some((one) => one.name === name);
	if (orders.length > 0) return orders.filter(isOffered);
	const said = tools.filter(({ name }) => names(last.content, name));
	return (said.length > 0 ? said : demanded(choice, tools)).map((one) => ({
		name: one.name,
		arguments: JSON.stringify(fitSchema({ type: 'object', ...one.parameters }, last.content)),
	}));
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
