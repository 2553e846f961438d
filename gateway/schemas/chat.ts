import * as z from 'zod';
import {
	answerMessage,
	asMessage,
	callsIn,
	hasThoughts,
	hasValue,
	messageInChoice,
	withoutThoughts,
} from './answerMessage';
import { endOf, finishReasonIn } from './finishReason';
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
import { sensibleEntries } from './lists';
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

const answerId = z
	.union([z.string(), z.number().transform(String)])
	.optional()
	.catch(undefined);

/**
 * A choice whose message is in `delta`, in the choice itself, or a text alone is an answer, too; one without a message, too, if it has a
 * finish reason, as of a content filter.
 */
const choice = z.preprocess(
	(value) => {
		if (!isFields(value) || (isFields(value.message) && hasValue(value.message))) return value;
		const places = [value.message, value.delta, messageInChoice(value)];
		const found = places.map(asMessage).find(hasValue);
		const hasEnded = isEmptied(value.message) && finishReasonIn(value.finish_reason) !== null;
		if (found === undefined && !hasEnded) return value;
		return { ...value, message: { role: 'assistant', content: '', ...found } };
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

/** A completion, or a chunk of one, that a gateway wraps in a field of its own, such as `data` or `result`. */
export function completionIn(body: unknown): unknown {
	if (!isFields(body) || !isEmptied(body.choices)) return body;
	const hasChoices = (inner: unknown) => isFields(inner) && Array.isArray(inner.choices);
	const inner = Object.values(body).find(hasChoices);
	return isFields(inner) ? { ...inner, error: inner.error ?? body.error } : body;
}

/**
 * Chat completion (response, non-streaming). Unknown fields are kept. Only the choices matter:
 * the answer is paid for, so no other field is worth losing it over.
 */
export const chatCompletion = z.preprocess(
	completionIn,
	z.looseObject({
		id: answerId,
		object: z.literal('chat.completion').catch('chat.completion'),
		created: number().optional().catch(undefined),
		model: z.string().optional().catch(undefined),
		choices,
		usage: z.looseObject({}).nullish().catch(undefined),
	}),
);

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

/** What an answer has that says nothing and calls no tool, as far as it may be billed; undefined for any other answer. */
export function emptyAnswer(completion: ChatCompletion): 'thoughts' | 'nothing' | undefined {
	const { message } = firstChoice(completion);
	const text = textOf(completion);
	if (withoutThoughts(text).trim() !== '' || callsIn(message).length > 0) return undefined;
	if (text.trim() !== '' || hasThoughts(message)) return 'thoughts';
	return tokensOf(completion).completion_tokens === 0 ? undefined : 'nothing';
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
