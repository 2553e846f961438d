import * as z from 'zod';
import {
	BOUNDS,
	NOT_EMPTY,
	anyText,
	mergeAdditionalBody,
	modelId,
	numberBetween,
	parseInput,
	text,
	wholeNumber,
} from './input';
import { anyList, counted, listOf, spare, spares } from './lists';

const ROLE_RULE = 'must be system, user or assistant';

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });

/**
 * The content of a message is text (Chat message). Similar services also take a list of parts: parts that are all
 * text are joined, and anything else would be lost on a model that reads only text.
 */
const content = z.preprocess((value, context) => {
	if (!Array.isArray(value)) return value;
	const parts = z.array(textPart).safeParse(value);
	if (parts.success) return parts.data.map(({ text }) => text).join('\n\n');
	context.addIssue('must be text or a list of text parts: the service accepts no images or files');
	return z.NEVER;
}, anyText().nullish());

/** Messages of function calling, which the document names but does not show, have the fields of similar services. */
const message = z
	.looseObject(
		{
			role: z.enum(['system', 'user', 'assistant', 'developer', 'tool'], { error: ROLE_RULE }),
			content,
		},
		{ error: 'must be an object with role and content' },
	)
	.superRefine(({ role, content, tool_calls, tool_call_id }, { addIssue }) => {
		const refuse = (field: string, rule: string, input: unknown) =>
			addIssue({ code: 'custom', path: [field], message: rule, input });
		if (role === 'tool' && (typeof tool_call_id !== 'string' || tool_call_id === '')) {
			refuse('role', `${ROLE_RULE}, or tool with a tool_call_id`, role);
		}
		const callsTools = Array.isArray(tool_calls) && tool_calls.length > 0;
		const mayBeEmpty = role === 'assistant' || role === 'tool';
		const isEmpty = mayBeEmpty ? typeof content !== 'string' : !content?.trim();
		if (isEmpty && !callsTools) refuse('content', NOT_EMPTY, content);
	});

const STOP_RULE = 'must be text or a list of texts';
/** White space counts: a line break is the most common stop sequence. */
const stopSequence = z.string({ error: STOP_RULE }).min(1, STOP_RULE);

/** Body of `POST /v1/chat/completions`, with the bounds of the interface document. */
const chatRequestSchema = z.looseObject({
	model: modelId,
	messages: z
		.array(message, { error: 'must be an array of messages with role and content' })
		.min(1, 'must contain at least one message'),
	temperature: numberBetween(...BOUNDS.temperature).nullish(),
	max_tokens: wholeNumber(BOUNDS.maxTokens).nullish(),
	top_p: numberBetween(...BOUNDS.topP).nullish(),
	stop: z.union([stopSequence, z.array(stopSequence).min(1)], { error: STOP_RULE }).nullish(),
	presence_penalty: numberBetween(...BOUNDS.presencePenalty).nullish(),
	frequency_penalty: numberBetween(...BOUNDS.frequencyPenalty).nullish(),
	user: text().nullish(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;

/**
 * A request of an agent. The document names function calling without showing its fields, so its messages (calls of
 * tools and their results) and its `tools` are passed on unchanged.
 */
const agentRequestBody = chatRequestSchema.extend({
	messages: z
		.array(z.looseObject({ role: z.string() }))
		.min(1, 'must contain at least one message'),
});

export type AgentRequest = z.infer<typeof agentRequestBody>;

/** The fields that the document names, unchecked. */
export type ChatFields = Partial<Record<keyof typeof chatRequestSchema.shape, unknown>>;

/**
 * Builds the body of a chat request from unchecked input. Undefined fields are not sent.
 * @param additionalBody a JSON object with fields this client does not know, such as tool definitions
 * @throws GatewayError naming the field
 */
export function chatRequest(input: ChatFields, additionalBody?: unknown): ChatRequest {
	return parseInput(chatRequestSchema, mergeAdditionalBody(input, additionalBody, 'stream'));
}

/**
 * Builds the body of an agent's request, as {@link chatRequest} does.
 * @throws GatewayError naming the field
 */
export function agentRequest(
	input: ChatFields & Record<string, unknown>,
	additionalBody?: unknown,
): AgentRequest {
	return parseInput(agentRequestBody, mergeAdditionalBody(input, additionalBody, 'stream'));
}

const FINISH_WORDS = ['stop', 'length', 'content_filter'] as const;
/** `tool_calls` is that of function calling, which the document names but does not show. */
export const FINISH_REASONS = [...FINISH_WORDS, 'tool_calls'] as const;

/** `content` is null for tool calls, which the document names but does not show: they have the fields of similar services. */
const answerMessage = z.looseObject({
	role: spare(z.string()),
	content: z.string().nullish(),
	refusal: spare(z.string().nullable()),
	tool_calls: anyList.superRefine(counted()).optional(),
});

const choice = z.looseObject({
	index: spare(z.number()),
	message: answerMessage,
	finish_reason: z.string().nullish(),
	/** What a dialect's finish reason means: `aborted` leaves a part of an answer, after `failed` there is none. */
	end: spare(z.enum([...FINISH_REASONS, 'aborted', 'failed'])),
});

const head = { id: z.string(), model: z.string() };
const count = z.number();
const usage = { prompt_tokens: count, completion_tokens: count, total_tokens: count };

/** Chat completion (response, non-streaming). */
export const chatCompletion = {
	exact: z.strictObject({
		...head,
		object: z.literal('chat.completion'),
		created: z.number(),
		choices: listOf(
			z.strictObject({
				index: z.number(),
				message: z.strictObject({ role: z.literal('assistant'), content: z.string() }),
				finish_reason: z.enum(FINISH_WORDS),
			}),
		),
		usage: z.strictObject(usage),
	}),
	/** Unknown fields are kept. Only the choices matter: the answer is paid for, so no other field is worth losing it over. */
	lenient: z.looseObject({
		...spares(head),
		choices: listOf(choice),
		usage: spare(z.looseObject(spares(usage))),
		/** A completion that the document does not show, as it was sent. */
		sent_as: z.looseObject({}).optional(),
	}),
};
export type Completion = z.infer<typeof chatCompletion.lenient>;
