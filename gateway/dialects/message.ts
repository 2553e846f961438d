import { isEmptied } from '../schemas/input';
import { type Fields, hasValue, isFields } from '../schemas/responseJson';

/** A part of a content that is a list: its text, or an object with one. Parts with something else have no text. */
function textOfPart(part: unknown): string | null | undefined {
	if (typeof part === 'string') return part;
	if (!isFields(part)) return undefined;
	return isEmptied(part.text) ? '' : typeof part.text === 'string' ? part.text : undefined;
}

/**
 * The text of a content, which some services send as a list of parts.
 * @returns what is no content as it is
 */
function contentIn(content: unknown): unknown {
	if (isEmptied(content) || typeof content === 'string') return content;
	if (!Array.isArray(content)) return textOfPart(content) || content;
	const texts = content.map(textOfPart);
	return texts.includes(undefined) ? content : texts.join('');
}

const MESSAGE_FIELDS =
	'role content refusal tool_calls function_call reasoning_content reasoning'.split(' ');

/** Fields of a choice that are its message, or a part of one. */
export const OF_MESSAGE = new Set(['message', 'delta', 'text', ...MESSAGE_FIELDS]);

/** A message, which may be a text alone; undefined if it is none. */
function asMessage(value: unknown): Fields | undefined {
	if (isFields(value)) return value;
	const isNothing = isEmptied(value) || (Array.isArray(value) && value.length === 0);
	return isNothing ? {} : typeof value === 'string' ? { content: value } : undefined;
}

/** The first of some messages that is more than a role, else the first of all; undefined if it cannot be read. */
export function firstMessage(values: unknown[]): Fields | undefined {
	const messages = values.map(asMessage);
	if (!messages.every(isFields)) return undefined;
	const message = messages.find(hasValue) ?? messages[0]!;
	const content = contentIn(message.content);
	if (!isEmptied(content) && typeof content !== 'string') return undefined;
	return content === message.content ? message : { ...message, content };
}

/** The fields of a message that some services put into the choice itself (vllm-project/vllm#39468), or its `text` alone. */
export function messageInChoice(choice: Fields): Fields {
	const fields = Object.fromEntries(
		MESSAGE_FIELDS.filter((name) => !isEmptied(choice[name])).map((name) => [name, choice[name]]),
	);
	const { text } = choice;
	return typeof text === 'string' && text !== '' ? { content: text, ...fields } : fields;
}

/** The calls of tools in a message, or in a piece of one: also one call, as the interfaces before `tool_calls` have it. */
export function sentCalls({ tool_calls, function_call }: Fields): unknown[] {
	if (Array.isArray(tool_calls) && tool_calls.length > 0) return tool_calls;
	return isFields(function_call) ? [{ type: 'function', function: function_call }] : [];
}

/** Fields with text that comes in pieces, which may be equal. */
const PIECES_OF_TEXT = new Set([
	...['text', 'reasoning', 'reasoning_content', 'reasoning_text', 'thinking', 'summary'],
	...['refusal', 'arguments', 'data', 'transcript'],
]);

export const isPieceOfText = (name: string): boolean => PIECES_OF_TEXT.has(name);
