import type {
	ChatModel,
	ChatModelConfig,
	FinishReason,
	GenerateResult,
	Message,
	StreamChunk,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import { type AgentRequest, type ChatCompletion, firstChoice, type Gateway } from '../../gateway';
import { type FunctionTool, toolCallParts, toServiceMessages, toServiceTools } from './messages';

/** What one question adds to the options of the node. */
export interface Asked extends Pick<AgentRequest, 'messages'> {
	tools?: object[];
	/** Which tool the chain needs the model to call, as the service takes it. */
	tool_choice?: unknown;
	/** Where the chain needs the model to stop. */
	stop: string[];
}

/** n8n passes the options of a call under LangChain's names, which its types do not show. */
interface CallOptions extends ChatModelConfig {
	signal?: AbortSignal;
	stop?: string[];
	tool_choice?: unknown;
}

type Send = (request: AgentRequest) => Promise<ChatCompletion>;

interface ChatService {
	gateway: Gateway;
	/** Sends a question with the options of the node, if Max Billable Requests allows it. */
	spend: (question: Asked, send: Send) => Promise<ChatCompletion>;
	/** Converts parameters that are a schema of n8n's own zod; passes all others on unchanged. */
	toJsonSchema: (tool: FunctionTool) => unknown;
	toNodeError: (error: unknown) => Error;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
}

interface Answer {
	text: string;
	calls: Awaited<ReturnType<typeof toolCallParts>>;
	end: { finishReason: FinishReason; usage?: TokenUsage };
}

const FINISH_REASONS: Record<string, FinishReason> = {
	stop: 'stop',
	length: 'length',
	content_filter: 'content-filter',
	tool_calls: 'tool-calls',
};

/** A chat model for n8n's agents and chains that asks through the gateway. */
export class GatewayChatModel implements ChatModel<CallOptions> {
	readonly provider = 'generation-service';

	constructor(
		readonly modelId: string,
		private readonly service: ChatService,
		private readonly tools: FunctionTool[] = [],
	) {}

	/** Every tool that LangChain knows is a function. */
	withTools(tools: FunctionTool[]): GatewayChatModel {
		return new GatewayChatModel(this.modelId, this.service, [...this.tools, ...tools]);
	}

	async generate(messages: Message[], options: CallOptions = {}): Promise<GenerateResult> {
		const { gateway } = this.service;
		const { text, calls, end } = await this.ask(messages, options, (request, signal) =>
			gateway.chat(request, signal),
		);
		return { message: { role: 'assistant', content: [{ type: 'text', text }, ...calls] }, ...end };
	}

	/** Hands the text on while it arrives, and calls of tools when they are complete. */
	async *stream(messages: Message[], options: CallOptions = {}): AsyncIterable<StreamChunk> {
		const arrived: string[] = [];
		let wake = () => {};
		let ended = false;
		const onText = (text: string) => {
			arrived.push(text);
			wake();
		};
		const reader = new AbortController();
		const answer = this.ask(messages, options, (request, signal) =>
			this.service.gateway.streamChat(request, onText, AbortSignal.any([signal, reader.signal])),
		).finally(() => {
			ended = true;
			wake();
		});
		// The reader may stop before the end: then a failure must not be an unhandled rejection.
		answer.catch(() => {});
		try {
			while (!ended || arrived.length > 0) {
				// A ReadableStream takes a hundred times as long for texts that arrive together.
				const delta = arrived.shift();
				if (delta !== undefined) yield { type: 'text-delta', delta };
				else await new Promise<void>((resolve) => (wake = resolve));
			}
			const { calls, end } = await answer;
			for (const { toolCallId, toolName, input } of calls)
				yield { type: 'tool-call-delta', id: toolCallId, name: toolName, argumentsDelta: input };
			yield { type: 'finish', ...end };
		} finally {
			reader.abort();
		}
	}

	/** Asks once. Rejects with the error that a node throws. */
	private async ask(
		messages: Message[],
		{ stop = [], tool_choice, signal }: CallOptions,
		send: (request: AgentRequest, signal: AbortSignal) => Promise<ChatCompletion>,
	): Promise<Answer> {
		const { gateway, spend, toJsonSchema, toNodeError } = this.service;
		const signals = [signal, this.service.signal].filter((one) => one !== undefined);
		try {
			const tools = toServiceTools(this.tools, toJsonSchema);
			const question = {
				messages: toServiceMessages(messages),
				stop,
				...(tools.length > 0 && { tools }),
				...(tool_choice !== undefined && { tool_choice }),
			};
			const completion = await spend(
				question,
				async (request) => await send(request, AbortSignal.any(signals)),
			);
			const { message, finish_reason } = firstChoice(completion);
			const { usage } = completion;
			return {
				text: message.content ?? '',
				calls: toolCallParts(completion, (text) => gateway.redactError(text)),
				end: {
					finishReason: FINISH_REASONS[finish_reason ?? ''] ?? 'other',
					...(usage && { usage: toUsage(usage) }),
				},
			};
		} catch (error) {
			throw toNodeError(error);
		}
	}
}

function toUsage(usage: NonNullable<ChatCompletion['usage']>): TokenUsage {
	return {
		promptTokens: usage.prompt_tokens,
		completionTokens: usage.completion_tokens,
		totalTokens: usage.total_tokens,
	};
}
