import { z } from 'zod';
import type { ChatRequest } from '../endpoints';
import { fitSchema, mentions } from './fitSchema';

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

/** The tools of a request. Entries of another shape are ignored. */
function toolsOf({ tools }: ChatRequest): Tool[] {
	if (!Array.isArray(tools)) return [];
	return tools.flatMap((entry) => tool.safeParse(entry).data?.function ?? []);
}

/**
 * The tools that the simulated model calls. If the last message is the user's: those that it requests as
 * `[call:name {"some": "arguments"}]`, else those whose name it mentions, else the one whose words it uses, else what
 * `tool_choice` requires.
 * Otherwise the tool that the system message asks for as the final answer.
 */
export function toolCalls(request: ChatRequest): ToolCall[] {
	const tools = toolsOf(request);
	const choice = toolChoice.safeParse(request.tool_choice).data ?? 'auto';
	if (tools.length === 0 || choice === 'none') return [];
	const asked = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
	const toCall = (called: Tool) => {
		const fields = fitSchema({ type: 'object', ...called.parameters }, asked);
		const learned = request.messages.flatMap(({ role, content }) =>
			role === 'tool' ? [content] : [],
		);
		const text = JSON.stringify(fields, (name, value: unknown) =>
			value === asked ? (learnedValue(name, learned.join('\n')) ?? sceneIn(asked)) : value,
		);
		return { name: called.name, arguments: text };
	};
	if (request.messages.at(-1)?.role === 'user') {
		const requested = requestedCalls(asked);
		if (requested.length > 0)
			return requested.filter(({ name }) => tools.some((one) => one.name === name));
		const mentioned = tools.filter(({ name }) => mentions(asked, name));
		const meant =
			mentioned.length > 0
				? mentioned
				: tools.filter((one) => asksFor(asked, one.name)).slice(0, 1);
		const called = meant.length > 0 ? meant : requiredTools(choice, tools);
		if (called.length > 0) return called.map(toCall);
	}
	return finalTool(request, tools).map(toCall);
}

/** A field that the result of a tool had, such as `task_id`. */
function learnedValue(name: string, results: string): string | undefined {
	return new RegExp(`"${name}\\\\*":\\\\*"([^"\\\\]+)`).exec(results)?.[1];
}

/** What a video that someone asks for shows: "A fox" for "Make a video of a fox, and tell me where it is". */
function sceneIn(asked: string): string {
	const scene =
		/\b(?:videos?|clip|film|movie) (?:of|about) (.+?)(?:,? and (?:tell|show|send) .*)?$/s.exec(
			asked,
		)?.[1];
	return scene === undefined ? asked : scene.charAt(0).toUpperCase() + scene.slice(1);
}

/** Words that mean the same to someone who asks for a tool. */
const SYNONYMS = [
	['make', 'create', 'generate', 'generation', 'produce', 'submit', 'order', 'want', 'need'],
	['video', 'videos', 'clip', 'clips', 'film', 'movie'],
];

/** Whether a request is near enough to a tool of several words: "I need a short clip of a fox" to `Make_a_Video`. */
function asksFor(text: string, name: string): boolean {
	const words = name.split(/[^a-z]+/i).filter((word) => word.length > 2);
	return (
		words.length > 1 &&
		words.every((word) => {
			const same = SYNONYMS.find((group) => group.includes(word.toLowerCase())) ?? [word];
			return same.some((one) => mentions(text, one));
		})
	);
}

/** How n8n's AI Agent with an output parser asks for its final answer. */
const FINAL_TOOL = /you MUST use the `([\w-]+)` tool/;

function finalTool({ messages }: ChatRequest, tools: Tool[]): Tool[] {
	const system = messages.find(({ role }) => role === 'system')?.content ?? '';
	const finalName = FINAL_TOOL.exec(system)?.[1] ?? '';
	const afterQuestion = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
	const isCalled = afterQuestion.some((message) =>
		JSON.stringify(message.tool_calls ?? []).includes(`"${finalName}"`),
	);
	return isCalled ? [] : tools.filter(({ name }) => name === finalName);
}

function requiredTools(choice: z.infer<typeof toolChoice>, tools: Tool[]): Tool[] {
	if (typeof choice === 'object') return tools.filter(({ name }) => name === choice.function.name);
	return choice === 'required' ? tools.slice(0, 1) : [];
}

function requestedCalls(text: string): ToolCall[] {
	return [...text.matchAll(/\[call:([\w-]+)/g)].flatMap(
		({ 0: { length }, 1: name = '', index }) => {
			const rest = text.slice(index + length);
			const ends = [...rest.matchAll(/\]/g)].map((end) => rest.slice(0, end.index).trim() || '{}');
			const json = ends.find(isObject);
			return json === undefined ? [] : [{ name, arguments: json }];
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
