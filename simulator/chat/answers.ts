import { hash } from 'node:crypto';
import type { ChatRequest } from '../requests';
import { jsonAnswer } from './jsonAnswers';
import { type ToolCall, toolCalls } from './toolCalls';

export interface ChatAnswer {
	content: string;
	/** The content as a stream sends it, one token in each chunk. */
	tokens: string[];
	finishReason: 'stop' | 'length' | 'tool_calls';
	/** Tool calls; with any, the content is empty. */
	calls: ToolCall[];
	usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

const QUOTED_CHARACTERS = 160;
/** Long enough for the whole result of a tool, such as a URL. */
const QUOTED_RESULT_CHARACTERS = 2_000;
const MAX_WORDS = 100_000;

const openings = [
	(quote: string) => `You wrote: “${quote}”. Here is my answer.`,
	(quote: string) => `You asked me about “${quote}”.`,
	(quote: string) => `Thank you for your message “${quote}”. This is what I think.`,
];

const thoughts = [
	'Start with the smallest thing that works, and try it before you add to it.',
	'Most of the effort is in the last tenth, so plan for it from the start.',
	'There are two good ways to do this; the simpler one is easier to change later.',
	'A short list of what must not happen is worth more than a long list of wishes.',
	'Measure first: the slow part is rarely where you expect it to be.',
];

function tokenize(text: string): string[] {
	return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}

function quote(text: string, maxLength = QUOTED_CHARACTERS): string {
	const plain = text.replace(/\[(fault|words|call):[^\]]*\]/g, '').trim();
	const characters = [...plain];
	if (characters.length <= maxLength) return plain;
	return `${characters.slice(0, maxLength).join('')}…`;
}

function pick<Item>(items: readonly Item[], seed: number): Item {
	const item = items[seed % items.length];
	if (item === undefined) throw new Error('Nothing to pick from.');
	return item;
}

function questionOf({ messages }: ChatRequest): string {
	const asked = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
	return asked?.content ?? '';
}

function compose(request: ChatRequest): string {
	const { model, messages } = request;
	const question = questionOf(request);
	const seed = hash('sha256', `${model}\0${question}`, 'buffer').readUInt16BE(0);
	const system = messages.find(({ role }) => role === 'system');
	const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
	const turn = messages.filter(({ role }) => role === 'user').length;
	const sentences = [
		pick(openings, seed)(quote(question)),
		...(system ? [`My instructions are: “${quote(system.content)}”.`] : []),
		...results.flatMap(({ role, content }) =>
			role === 'tool' ? [`The tool returned: “${quote(content, QUOTED_RESULT_CHARACTERS)}”.`] : [],
		),
		...(turn > 1 ? [`This is turn ${turn} of our conversation.`] : []),
		pick(thoughts, seed),
		pick(thoughts, seed + 1),
	];
	const wordCount = /\[words:(\d+)\]/.exec(question)?.[1];
	const text = sentences.join(' ');
	if (wordCount === undefined) return text;
	const words = tokenize(`${text} `);
	const count = Math.min(Number(wordCount), MAX_WORDS);
	return Array.from({ length: count }, (_, index) => pick(words, index).trim()).join(' ');
}

function beforeStop(text: string, stop: ChatRequest['stop']): string {
	const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter(Boolean);
	const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((end) => end >= 0);
	return text.slice(0, Math.min(text.length, ...ends));
}

/**
 * The answer of the simulated model, always the same for the same model and messages. `[words:N]` in the last
 * user message asks for N words. A request for JSON gets JSON.
 */
export function answerChat(
	request: ChatRequest,
	answerTo?: (message: string) => string,
): ChatAnswer {
	const calls = toolCalls(request);
	const answer = () => answerTo?.(questionOf(request)) ?? compose(request);
	const allTokens =
		calls.length > 0 ? [] : tokenize(beforeStop(jsonAnswer(request) ?? answer(), request.stop));
	const tokens = allTokens.slice(0, request.max_tokens ?? allTokens.length);
	const completionTokens =
		tokens.length + calls.reduce((sum, call) => sum + 1 + tokenize(call.arguments).length, 0);
	const promptTokens = request.messages.reduce(
		(sum, { content }) => sum + tokenize(content).length + 4,
		0,
	);
	return {
		content: tokens.join(''),
		tokens,
		calls,
		finishReason:
			calls.length > 0 ? 'tool_calls' : tokens.length < allTokens.length ? 'length' : 'stop',
		usage: {
			prompt_tokens: promptTokens,
			completion_tokens: completionTokens,
			total_tokens: promptTokens + completionTokens,
		},
	};
}
