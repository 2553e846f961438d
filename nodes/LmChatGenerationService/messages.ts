import type { Message, Tool } from '@n8n/ai-node-sdk';
import {
	type AgentRequest,
	type ChatCompletion,
	readToolCalls,
	toolParameters,
} from '../../gateway';

type ServiceMessage = AgentRequest['messages'][number];
type Part = Message['content'][number];
type ToolCallPart = Extract<Part, { type: 'tool-call' }>;

/**
 * The messages of an agent as the service takes them. Function calling is named but not shown in the interface
 * document; its fields are those of the other services of this kind.
 */
export function toServiceMessages(messages: Message[]): ServiceMessage[] {
	return messages.flatMap(({ role, content }): ServiceMessage[] => {
		if (role === 'tool') return content.flatMap(toToolMessage);
		const text = textOf(content, role === 'assistant' ? '' : '\n\n');
		const calls = content.flatMap((part) => (part.type === 'tool-call' ? [toToolCall(part)] : []));
		if (calls.length === 0) return [{ role, content: text }];
		return [{ role, content: text === '' ? null : text, tool_calls: calls }];
	});
}

/** The pieces of a streamed answer belong together; what a user adds to a prompt is separate. */
function textOf(content: Part[], separator: string): string {
	return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(separator);
}

function toToolMessage(part: Part): ServiceMessage[] {
	if (part.type !== 'tool-result') return [];
	const result: unknown = part.result;
	const content = typeof result === 'string' ? result : JSON.stringify(result);
	return [{ role: 'tool', tool_call_id: part.toolCallId, content }];
}

function toToolCall({ toolCallId, toolName, input }: ToolCallPart) {
	return { id: toolCallId, type: 'function', function: { name: toolName, arguments: input } };
}

export type FunctionTool = Extract<Tool, { type: 'function' }>;

export function toServiceTools(
	tools: FunctionTool[],
	toJsonSchema: (tool: FunctionTool) => unknown,
): object[] {
	return tools.map((tool) => {
		const { name, description } = tool;
		const parameters = toolParameters(toJsonSchema(tool));
		return { type: 'function', function: { name, description, parameters } };
	});
}

/** The calls of tools in an answer. The result of a call names it, so a call without an id is given one. */
export function toolCallParts(completion: ChatCompletion, redact: (text: string) => string) {
	const calls = readToolCalls(completion, redact);
	return calls.map((call) => ({
		type: 'tool-call' as const,
		toolCallId: call.id ?? `call-${crypto.randomUUID()}`,
		toolName: call.name,
		input: call.arguments,
	}));
}
