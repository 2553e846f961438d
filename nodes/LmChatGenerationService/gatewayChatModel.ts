import type {
	ChatModel,
	ChatModelConfig,
	FinishReason,
	GenerateResult,
	Message,
	MessageContent,
	StreamChunk,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import {
	type AgentRequest,
	answerEnd,
	emptyAnswer,
	type Completion,
	firstChoice,
	type Gateway,
	malformedAnswer,
	shortText,
	textOf,
} from '../../gateway';
import { type FunctionTool, toolCallParts, toServiceMessages, toServiceTools } from './messages';

/** What one question adds to the options of the node. */
interface ModelQuestion extends Pick<AgentRequest, 'messages'> {
	tools: object[] | undefined;
	/** Which tool the chain needs the model to call, as the service takes it. */
	tool_choice: unknown;
	/** Where the chain needs the model to stop. */
	stop: string[];
}

/** n8n passes the options of a call under LangChain's names, which its types do not show. */
interface CallOptions extends ChatModelConfig {
	signal?: AbortSignal;
	stop?: string[];
	tool_choice?: unknown;
}

interface ChatService {
	gateway: Gateway;
	/** The request of a question, with the options of the node. */
	toRequest: (question: ModelQuestion) => AgentRequest;
	/** Sends a request, if Max Billable Requests allows it. */
	spend: (send: () => Promise<Completion>) => Promise<Completion>;
	/** Converts parameters that are a schema of n8n's own zod; passes all others on unchanged. */
	toJsonSchema: (tool: FunctionTool) => unknown;
	toNodeError: (error: unknown) => Error;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
}

interface ModelAnswer {
	text: string;
	/** The calls of tools, after what the next question has to send back. */
	parts: MessageContent[];
	end: { finishReason: FinishReason; usage?: TokenUsage };
}

const LANGCHAIN_REASONS = {
	stop: 'stop',
	length: 'length',
	content_filter: 'content-filter',
	tool_calls: 'tool-calls',
	failed: 'error',
} as const;

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
		const { text, parts, end } = await this.ask(messages, options);
		return { message: { role: 'assistant', content: [{ type: 'text', text }, ...parts] }, ...end };
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
		const answer = this.ask(messages, options, onText, reader.signal).finally(() => {
			ended = true;
			wake();
		});
		// Where the reader stops before the end, a failure must not be an unhandled rejection.
		answer.catch(() => {});
		try {
			while (!ended || arrived.length > 0) {
				// For texts that arrive together, a ReadableStream takes a hundred times as long as this list.
				const delta = arrived.shift();
				if (delta !== undefined) yield { type: 'text-delta', delta };
				else await new Promise<void>((resolve) => (wake = resolve));
			}
			const { parts, end } = await answer;
			for (const content of parts) {
				if (content.type !== 'tool-call') yield { type: 'content', content };
				else {
					const { toolCallId: id = '', toolName: name, input: argumentsDelta } = content;
					yield { type: 'tool-call-delta', id, name, argumentsDelta };
				}
			}
			yield { type: 'finish', ...end };
		} finally {
			reader.abort();
		}
	}

	/** Asks once. Rejects with the error that a node throws. */
	private async ask(
		messages: Message[],
		{ stop = [], tool_choice, signal }: CallOptions,
		onText?: (text: string) => void,
		reader?: AbortSignal,
	): Promise<ModelAnswer> {
		const { gateway, toRequest, spend, toJsonSchema, toNodeError } = this.service;
		const signals = [signal, reader, this.service.signal].filter((one) => one !== undefined);
		try {
			const request = toRequest({
				messages: toServiceMessages(messages),
				tools: toServiceTools(this.tools, toJsonSchema),
				tool_choice,
				stop,
			});
			const completion = await spend(() => gateway.chat(request, AbortSignal.any(signals), onText));
			const text = textOf(completion);
			const how = answerEnd(completion);
			if (how === 'aborted') {
				const reason = shortText(firstChoice(completion).finish_reason ?? '');
				const cutOff = malformedAnswer(
					`The service ended the answer early (finish_reason: ${reason})`,
					text || '(no text)',
					'Run the node again. If it happens again, ask for a shorter answer, or choose another model.',
				);
				cutOff.record.partial_text = text;
				// A chain takes half an answer for a whole one: here are no hints.
				throw cutOff;
			}
			const parts = toolCallParts(completion, messages, (words) => gateway.redactError(words));
			if (text === '' && parts.length === 0 && how !== 'length' && how !== 'content_filter')
				// n8n's agents hand on an empty text as their answer.
				throw malformedAnswer(
					'The model answered with neither text nor a call of a tool',
					emptyAnswer(completion) === 'thoughts' ? '(only thoughts)' : '(nothing)',
					'Run the node again, or choose another model.',
				);
			const finishReason = how ? LANGCHAIN_REASONS[how] : 'other';
			return { text, parts, end: { finishReason, ...usageOf(completion) } };
		} catch (error) {
			throw toNodeError(error);
		}
	}
}

function usageOf(completion: Completion): { usage?: TokenUsage } {
	const { prompt_tokens, completion_tokens, total_tokens } = completion.usage ?? {};
	if (prompt_tokens === undefined && completion_tokens === undefined) return {};
	const [promptTokens = 0, completionTokens = 0] = [prompt_tokens, completion_tokens];
	const totalTokens = total_tokens ?? promptTokens + completionTokens;
	return { usage: { promptTokens, completionTokens, totalTokens } };
}
