import * as z from 'zod';
import {
	BOUNDS,
	NOT_EMPTY,
	anyText,
	isEmptied,
	mergeAdditionalBody,
	number,
	numberBetween,
	parseInput,
	text,
	wholeNumber,
} from './input';
import { counted, sensibleEntries } from './lists';
import { isFields } from './responseJson';

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
const request = z.looseObject({
	model: text('must be the ID of a model'),
	messages: z
		.array(message, { error: 'must be an array of messages with role and content' })
		.min(1, 'must contain at least one message'),
	temperature: numberBetween(...BOUNDS.temperature).optional(),
	max_tokens: wholeNumber(BOUNDS.maxTokens).optional(),
	top_p: numberBetween(...BOUNDS.topP).optional(),
	stop: z.union([stopSequence, z.array(stopSequence).min(1)], { error: STOP_RULE }).optional(),
	presence_penalty: numberBetween(...BOUNDS.presencePenalty).optional(),
	frequency_penalty: numberBetween(...BOUNDS.frequencyPenalty).optional(),
	user: text().optional(),
});

export type ChatRequest = z.infer<typeof request>;

/**
 * A request of an agent. The document names function calling without showing its fields, so its messages (calls of
 * tools and their results) and its `tools` are passed on unchanged.
 */
const agentRequestBody = request.extend({
	messages: z
		.array(z.looseObject({ role: z.string() }))
		.min(1, 'must contain at least one message'),
});

export type AgentRequest = z.infer<typeof agentRequestBody>;

/** The fields that the document names, unchecked. */
export type ChatFields = Partial<Record<keyof typeof request.shape, unknown>>;

/**
 * Builds the body of a chat request from unchecked input. Undefined fields are not sent.
 * @param additionalBody a JSON object with fields this client does not know, such as tool definitions
 * @throws GatewayError naming the field
 */
export function chatRequest(input: ChatFields, additionalBody?: unknown): ChatRequest {
	return parseInput(request, mergeAdditionalBody(input, additionalBody, 'stream'));
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

/** How an answer ended, in the words of the interface document and of function calling. */
type AnswerEnd = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** The finish reasons of the document, and what similar services call them. */
const ENDS: Record<string, AnswerEnd | 'failed'> = {
	stop: 'stop',
	end: 'stop',
	eos: 'stop',
	eos_token: 'stop',
	end_turn: 'stop',
	stop_sequence: 'stop',
	length: 'length',
	max_tokens: 'length',
	content_filter: 'content_filter',
	tool_calls: 'tool_calls',
	tool_use: 'tool_calls',
	function_call: 'tool_calls',
	error: 'failed',
	network_error: 'failed',
	insufficient_system_resource: 'failed',
};

/** @returns undefined for a reason that nobody knows: the answer has ended all the same */
export function endOf(finishReason: string): AnswerEnd | 'failed' | undefined {
	const known = finishReason.toLowerCase();
	return Object.hasOwn(ENDS, known) ? ENDS[known] : undefined;
}

/** A finish reason as text; null while there is none, which some services write as the text "null". */
export function finishReasonIn(value: unknown): string | null {
	if (typeof value !== 'string' && typeof value !== 'number') return null;
	const reason = String(value).trim();
	return reason === '' || reason.toLowerCase() === 'null' ? null : reason;
}

/** Checked without zod, which takes a second to refuse a million parts. */
function isPart(part: unknown): part is { text?: string | null } {
	if (!isFields(part)) return false;
	return isEmptied(part.text) || typeof part.text === 'string';
}

/** `content` is a string (Chat completion). Some services send a list of parts: their texts are the answer. */
const answerText = z
	.union([
		z.string(),
		z
			.custom<
				Array<{ text?: string | null }>
			>((parts) => Array.isArray(parts) && parts.every(isPart))
			.transform((parts) => parts.map(({ text }) => text).join('')),
	])
	.nullish();

/** The text of a content that is a list; undefined for a content of an unknown form. */
export function textOfContent(content: unknown): string | undefined {
	return answerText.safeParse(content).data ?? undefined;
}

const answerId = z
	.union([z.string(), z.number().transform(String)])
	.optional()
	.catch(undefined);

/** `content` is null for a tool call, which the document names but does not show. */
const answerMessage = z.looseObject({
	role: z.string().optional().catch(undefined),
	content: answerText,
	refusal: z.string().nullish().catch(undefined),
	tool_calls: z.unknown().superRefine(counted()).optional(),
});

/** A choice without a message is an answer if it has a `text`, as in older interfaces, or a finish reason, as of a content filter. */
const choice = z.preprocess(
	(value) => {
		if (!isFields(value) || !isEmptied(value.message)) return value;
		const { text: content = '', finish_reason } = value;
		const isAnswer = content !== '' || finishReasonIn(finish_reason) !== null;
		return isAnswer ? { ...value, message: { role: 'assistant', content } } : value;
	},
	z.looseObject({
		/** Some services send it as text. */
		index: number().optional().catch(undefined),
		message: answerMessage,
		finish_reason: z.preprocess(finishReasonIn, z.string().nullable()).optional(),
	}),
);

type Choice = z.infer<typeof choice>;

/** A choice without a message is left out: the others are paid for. */
const choices = sensibleEntries(choice).transform(
	([first, ...others], context): [Choice, ...Choice[]] => {
		if (first !== undefined) return [first, ...others];
		context.addIssue('no choice');
		return z.NEVER;
	},
);

/**
 * Chat completion (response, non-streaming). Unknown fields are kept. Only the choices matter:
 * the answer is paid for, so no other field is worth losing it over.
 */
export const chatCompletion = z.looseObject({
	id: answerId,
	object: z.literal('chat.completion').catch('chat.completion'),
	created: number().optional().catch(undefined),
	model: z.string().optional().catch(undefined),
	choices,
	usage: z.looseObject({}).nullish().catch(undefined),
});

export type ChatCompletion = z.infer<typeof chatCompletion>;

/** The choice of index 0, which need not come first. */
export function firstChoice({ choices }: ChatCompletion): ChatCompletion['choices'][number] {
	return choices.find(({ index }) => index === 0) ?? choices[0];
}

/** What the model says: its answer, or its words when it refuses to give one. */
export function textOf(completion: ChatCompletion): string {
	const { content, refusal } = firstChoice(completion).message;
	return content || refusal || '';
}

/** How the first choice ended, as far as its finish reason is known. */
export function answerEnd(completion: ChatCompletion): ReturnType<typeof endOf> {
	return endOf(firstChoice(completion).finish_reason ?? '');
}

const tokens = number().optional().catch(undefined);
const usage = z.object({
	prompt_tokens: tokens,
	completion_tokens: tokens,
	total_tokens: tokens,
});

/** The token counts that the service sent, which some services put into the last choice. */
export function tokensOf({ usage: ofAll, choices }: ChatCompletion): z.infer<typeof usage> {
	return usage.safeParse(ofAll ?? choices.at(-1)?.usage).data ?? {};
}
