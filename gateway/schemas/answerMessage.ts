import * as z from 'zod';
import { isEmptied } from './input';
import { counted } from './lists';
import { type Fields, isFields } from './responseJson';

/** A part of a content that is a list: its text, or an object with one. Parts with something else have no text. */
function textOfPart(part: unknown): string | null | undefined {
	if (typeof part === 'string') return part;
	if (!isFields(part)) return undefined;
	return isEmptied(part.text) ? '' : typeof part.text === 'string' ? part.text : undefined;
}

/**
 * The text of a content. It is a string (Chat completion); some services send a list of parts, whose texts are the answer. Checked
 * without zod, which takes a second to refuse a million parts.
 * @returns undefined for a content of an unknown form
 */
export function textOfContent(content: unknown): string | null | undefined {
	if (isEmptied(content) || typeof content === 'string') return content;
	if (!Array.isArray(content)) return textOfPart(content) || undefined;
	const texts = content.map(textOfPart);
	return texts.includes(undefined) ? undefined : texts.join('');
}

/** `content` is null for a tool call, which the document names but does not show. */
export const answerMessage = z.looseObject({
	role: z.string().optional().catch(undefined),
	content: z
		.unknown()
		.transform((content, context) => {
			const text = textOfContent(content);
			if (text !== undefined) return text;
			context.addIssue('no text');
			return z.NEVER;
		})
		.optional(),
	refusal: z.string().nullish().catch(undefined),
	tool_calls: z.unknown().superRefine(counted()).optional(),
	/** One call, as the interfaces before `tool_calls` have it. */
	function_call: z.unknown().optional(),
	/** What the model thought, in the two names that most services have for it. */
	reasoning_content: z.unknown().optional(),
	reasoning: z.unknown().optional(),
});

export type AnswerMessage = z.infer<typeof answerMessage>;

export const MESSAGE_FIELDS = Object.keys(answerMessage.shape);

/** A message, which may be a text alone. */
export function asMessage(value: unknown): Fields {
	return typeof value === 'string' ? { content: value } : isFields(value) ? value : {};
}

/** Whether a message is more than a role. */
export function hasValue(message: Fields): boolean {
	return Object.keys(message).some((name) => {
		const value = message[name];
		return name !== 'role' && Boolean(Array.isArray(value) ? value.length : value);
	});
}

/** The fields of a message that some services put into the choice itself (vllm-project/vllm#39468), or its `text` alone. */
export function messageInChoice(choice: Fields): Fields {
	const fields = Object.fromEntries(
		MESSAGE_FIELDS.filter((name) => !isEmptied(choice[name])).map((name) => [name, choice[name]]),
	);
	const { text } = choice;
	return typeof text === 'string' && text !== '' ? { content: text, ...fields } : fields;
}

/** The calls of tools in a message, or in a piece of one. */
export function callsIn({ tool_calls, function_call }: Fields): unknown[] {
	if (Array.isArray(tool_calls) && tool_calls.length > 0) return tool_calls;
	return isFields(function_call) ? [{ type: 'function', function: function_call }] : [];
}

/** Whether a model thought before it answered. */
export function hasThoughts(message: Fields): boolean {
	return Object.keys(message).some((name) => {
		const value = message[name];
		return /reasoning|think|thought/i.test(name) && !isEmptied(value) && hasValue({ value });
	});
}

/** What a reasoning model thinks before its answer, whose beginning some services leave out. */
const THOUGHTS = /^(?:\s*<think>(?:[\s\S]*?<\/think>|[\s\S]*)|[\s\S]*?<\/think>)/i;

export function withoutThoughts(text: string): string {
	return text.replace(THOUGHTS, '');
}
