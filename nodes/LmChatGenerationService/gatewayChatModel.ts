import type {
	ChatModel,
	ChatModelConfig,
	FinishReason,
	GenerateResult,
	Message,
	StreamChunk,
	TokenUsage,
	Tool,
} from '@n8n/ai-node-sdk';
import type { AgentRequest, ChatCompletion, Gateway } from '../../gateway';
import { fromToolCalls, toServiceMessages, toServiceTools } from './messages';

interface Service {
	gateway: Gateway;
	buildRequest: (request: Pick<AgentRequest, 'messages'> & { tools?: unknown }) => AgentRequest;
	/** A tool's parameters, which may be a zod schema of n8n's own zod. */
	toJsonSchema: (tool: Extract<Tool, { type: 'function' }>) => unknown;
	toNodeError: (error: unknown) => Error;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
}

const FINISH_REASONS: Record<string, FinishReason> = {
	stop: 'stop',
	length: 'length',
	content_filter: 'content-filter',
	tool_calls: 'tool-calls',
};

/** A chat model for n8n's agents and chains that asks through the gateway. */
export class GatewayChatModel implements ChatModel {
	readonly provider = 'generation-service';

	constructor(
		readonly modelId: string,
		private readonly service: Service,
		private readonly tools: Tool[] = [],
	) {}

	withTools(tools: Tool[]): ChatModel {
		return new GatewayChatModel(this.modelId, this.service, [...this.tools, ...tools]);
	}

	/** Asks once. Rejects with the error that a node throws. */
	async generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult> {
		const completion = await this.explain(
			async () => await this.service.gateway.chat(this.request(messages), this.signalOf(config)),
		);
		return toResult(completion);
	}

	/** Hands the text on while it arrives, and calls of tools when they are complete. */
	async *stream(messages: Message[], config?: ChatModelConfig): AsyncIterable<StreamChunk> {
		const arrived: string[] = [];
		let wake = () => {};
		let ended = false;
		const onText = (text: string) => {
			arrived.push(text);
			wake();
		};
		const answer = this.explain(
			async () =>
				await this.service.gateway.streamChat(
					this.request(messages),
					onText,
					this.signalOf(config),
				),
		).finally(() => {
			ended = true;
			wake();
		});
		// Who reads may stop before the end: the failure of an answer nobody waits for is not one of the process.
		answer.catch(() => {});
		while (!ended || arrived.length > 0) {
			const delta = arrived.shift();
			if (delta !== undefined) yield { type: 'text-delta', delta };
			else await new Promise<void>((resolve) => (wake = resolve));
		}
		const { message, finishReason = 'other', usage } = toResult(await answer);
		for (const part of message.content) {
			if (part.type !== 'tool-call') continue;
			yield {
				type: 'tool-call-delta',
				...(part.toolCallId !== undefined && { id: part.toolCallId }),
				name: part.toolName,
				argumentsDelta: part.input,
			};
		}
		yield { type: 'finish', finishReason, ...(usage && { usage }) };
	}

	private request(messages: Message[]): AgentRequest {
		const tools = toServiceTools(this.tools, this.service.toJsonSchema);
		return this.service.buildRequest({
			messages: toServiceMessages(messages),
			...(tools.length > 0 && { tools }),
		});
	}

	private signalOf(config: ChatModelConfig | undefined): AbortSignal | undefined {
		const signals = [config?.abortSignal, this.service.signal].filter((one) => one !== undefined);
		return signals.length === 0 ? undefined : AbortSignal.any(signals);
	}

	private async explain<Result>(work: () => Promise<Result>): Promise<Result> {
		return await work().catch((error: unknown) => {
			throw this.service.toNodeError(error);
		});
	}
}

function toResult(completion: ChatCompletion): GenerateResult {
	const { id, choices, usage } = completion;
	const [choice] = choices;
	const text = choice?.message.content;
	const content: Message['content'] = [
		...(text ? [{ type: 'text' as const, text }] : []),
		...fromToolCalls(choice?.message.tool_calls),
	];
	return {
		...(id !== undefined && { id }),
		finishReason: FINISH_REASONS[choice?.finish_reason ?? ''] ?? 'other',
		...(usage && { usage: toUsage(usage) }),
		message: { role: 'assistant', content },
		rawResponse: completion,
	};
}

function toUsage(usage: NonNullable<ChatCompletion['usage']>): TokenUsage {
	return {
		promptTokens: usage.prompt_tokens,
		completionTokens: usage.completion_tokens,
		totalTokens: usage.total_tokens,
	};
}
