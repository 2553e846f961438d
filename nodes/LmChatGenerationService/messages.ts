import type { Message, Tool } from '@n8n/ai-node-sdk';
import {
	type AgentRequest,
	type Completion,
	firstChoice,
	readToolCalls,
	toolParameters,
} from '../../gateway';
import { fieldOf } from '../shared/form/parameterValues';

type ServiceMessage = AgentRequest['messages'][number];
type Part = Message['content'][number];
type ToolCallPart = Extract<Part, { type: 'tool-call' }>;

/** The field in which LangChain's Gemini models keep the signature of each call's thoughts. n8n's agents look for it there. */
const THOUGHT_SIGNATURES = '__gemini_function_call_thought_signatures__';

/**
 * The messages of an agent as the service takes them. Function calling is named but not shown in the interface
 * document; its fields are those of the other services of this kind.
 */
export function toServiceMessages(messages: Message[]): ServiceMessage[] {
	return messages.flatMap(({ role, content }): ServiceMessage[] => {
		if (role === 'tool') return content.flatMap(toToolMessage);
		const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []));
		// The pieces of a streamed answer belong together, the parts of a prompt do not.
		const text = texts.join(role === 'assistant' ? '' : '\n\n');
		const calls = content.filter((part) => part.type === 'tool-call');
		if (calls.length === 0) return [{ role, content: text }];
		return [
			{
				role,
				content: text === '' ? null : text,
				...thoughtsIn(calls[0]?.providerMetadata),
				tool_calls: calls.map(toToolCall),
			},
		];
	});
}

/**
 * What a reasoning model needs back with its calls, in the fields in which it came. Other fields with thoughts, and empty ones, are not sent
 * back: Groq refuses `reasoning`.
 */
function thoughtsIn(fields: unknown): Record<string, unknown> {
	const reasoning_content = fieldOf(fields, 'reasoning_content');
	const reasoning_details = fieldOf(fields, 'reasoning_details');
	const hasDetails = Array.isArray(reasoning_details) && reasoning_details.length > 0;
	return {
		...(typeof reasoning_content === 'string' && reasoning_content !== '' && { reasoning_content }),
		// Of OpenRouter, without which Gemini refuses the request.
		...(hasDetails && { reasoning_details }),
	};
}

function toToolMessage(part: Part): ServiceMessage[] {
	if (part.type !== 'tool-result') return [];
	const result: unknown = part.result;
	const content = typeof result === 'string' ? result : JSON.stringify(result);
	return [{ role: 'tool', tool_call_id: part.toolCallId, content }];
}

function toToolCall({ toolCallId, toolName, input, providerMetadata }: ToolCallPart) {
	const signatures = fieldOf(providerMetadata, THOUGHT_SIGNATURES);
	const thought_signature = fieldOf(signatures, toolCallId ?? '');
	const google = typeof thought_signature === 'string' ? { thought_signature } : undefined;
	return {
		id: toolCallId,
		type: 'function',
		function: { name: toolName, arguments: input },
		extra_content: google && { google },
	};
}

export type FunctionTool = Extract<Tool, { type: 'function' }>;

export function toServiceTools(
	tools: FunctionTool[],
	toJsonSchema: (tool: FunctionTool) => unknown,
): object[] | undefined {
	if (tools.length === 0) return undefined;
	return tools.map((tool) => {
		const { name, description } = tool;
		const parameters = toolParameters(toJsonSchema(tool));
		return { type: 'function', function: { name, description, parameters } };
	});
}

/**
 * The calls of tools in an answer, after what a reasoning model needs back with their results, for which LangChain has no field. A
 * result names its call, so a call without an ID gets one, and one whose ID occurred before gets another: AI Agent 3 drops the
 * result of an ID that it knows, and asks again.
 */
export function toolCallParts(
	completion: Completion,
	messages: Message[],
	redact: (text: string) => string,
): Part[] {
	const earlier = messages.flatMap(({ content }) => content);
	const known = new Set(earlier.map((part) => part.type === 'tool-call' && part.toolCallId));
	const signatures: Record<string, string> = {};
	const calls = readToolCalls(completion, redact).map((call) => {
		const isNew = call.id !== undefined && !known.has(call.id);
		const toolCallId = isNew ? call.id! : `call-${crypto.randomUUID()}`;
		known.add(toolCallId);
		if (call.thoughtSignature !== undefined) signatures[toolCallId] = call.thoughtSignature;
		return { type: 'tool-call' as const, toolCallId, toolName: call.name, input: call.arguments };
	});
	const value = {
		...thoughtsIn(firstChoice(completion).message),
		...(Object.keys(signatures).length > 0 && { [THOUGHT_SIGNATURES]: signatures }),
	};
	const hasMore = calls.length > 0 && Object.keys(value).length > 0;
	return hasMore ? [{ type: 'provider', value }, ...calls] : calls;
}
