import type { Message, Tool } from '@n8n/ai-node-sdk';
import { type AgentRequest, parseToolCalls } from '../../gateway';

type ServiceMessage = AgentRequest['messages'][number];
type Part = Message['content'][number];
type ToolCallPart = Extract<Part, { type: 'tool-call' }>;

/**
 * The messages of an agent as the service takes them. Function calling is named but not shown in the interface
 * document; its fields are those of the other services of this kind.
 */
export function toServiceMessages(messages: Message[]): ServiceMessage[] {
	return messages.flatMap(({ role, content }): ServiceMessage[] => {
		const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
		if (role === 'tool') return content.flatMap(toToolMessage);
		const calls = content.flatMap((part) => (part.type === 'tool-call' ? [toToolCall(part)] : []));
		if (calls.length === 0) return [{ role, content: text }];
		return [{ role, content: text === '' ? null : text, tool_calls: calls }];
	});
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

/** The tools that the model may call. Tools that another provider runs itself are not for this service. */
export function toServiceTools(
	tools: Tool[],
	toJsonSchema: (tool: Extract<Tool, { type: 'function' }>) => unknown,
): object[] {
	return tools.flatMap((tool) => {
		if (tool.type !== 'function') return [];
		const { name, description } = tool;
		const parameters = toJsonSchema(tool);
		return [{ type: 'function', function: { name, description, parameters } }];
	});
}

/** The calls of tools in an answer; what is none is left out. */
export function fromToolCalls(value: unknown): ToolCallPart[] {
	return parseToolCalls(value).map(({ id, function: { name, arguments: input } }) => ({
		type: 'tool-call',
		...(id !== undefined && { toolCallId: id }),
		toolName: name,
		input: input || '{}',
	}));
}
