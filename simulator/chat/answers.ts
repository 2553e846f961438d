import { hash } from 'node:crypto';
import type { ChatRequest } from '../requests';
import { jsonAnswer } from './jsonAnswers';
import { type ToolCall, toolCalls } from './toolCalls';

export interface ChatAnswer {
	content: string;
	/** The content in the pieces a stream sends it in; one piece counts as one token. */
	pieces: string[];
	finishReason: 'stop' | 'length' | 'tool_calls';
	/** The calls of tools, in place of a content. */
	calls: ToolCall[];
	usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

const QUOTED_CHARACTERS = 160;
/** An agent's user wants to see the whole result: an address, say. */
const QUOTED_OF_RESULT = 2_000;
const MOST_WORDS = 100_000;

const openings = [
	(quote: string) => `You wrote: “${quote}”. Here is my answer.`,
	(quote: string) => `On “${quote}”: gladly.`,
	(quote: string) => `Thank you. About “${quote}”, this is what I would say.`,
];

const thoughts = [
	'Start with the smallest thing that works, and look at it before you add to it.',
	'Most of the effort is in the last tenth, so plan for it from the first.',
	'There are two good ways to do this; the plainer one is easier to change later.',
	'A short list of what must not happen is worth more than a long list of wishes.',
	'Measure first: the slow part is rarely where one expects it to be.',
];

function tokens(text: string): string[] {
	return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}

function quote(text: string, most = QUOTED_CHARACTERS): string {
	const plain = text.replace(/\[(fault|words|call):[^\]]*\]/g, '').trim();
	const characters = [...plain];
	if (characters.length <= most) return plain;
	return `${characters.slice(0, most).join('')}…`;
}

function pick<Item>(items: readonly Item[], seed: number): Item {
	const item = items[seed % items.length];
	if (item === undefined) throw new Error('Nothing to pick from.');
	return item;
}

function compose({ model, messages }: ChatRequest): string {
	const asked = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
	const question = asked?.content ?? '';
	const seed = hash('sha256', `${model}\0${question}`, 'buffer').readUInt16BE(0);
	const system = messages.find(({ role }) => role === 'system');
	const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
	const turn = messages.filter(({ role }) => role === 'user').length;
	const sentences = [
		pick(openings, seed)(quote(question)),
		...(system ? [`I keep to what I was told: “${quote(system.content)}”.`] : []),
		...results.flatMap(({ role, content }) =>
			role === 'tool' ? [`The tool told me: “${quote(content, QUOTED_OF_RESULT)}”.`] : [],
		),
		...(turn > 1 ? [`This is turn ${turn} of our conversation.`] : []),
		pick(thoughts, seed),
		pick(thoughts, seed + 1),
	];
	const wanted = /\[words:(\d+)\]/.exec(question)?.[1];
	const words = sentences.join(' ');
	if (wanted === undefined) return words;
	const supply = tokens(`${words} `);
	const count = Math.min(Number(wanted), MOST_WORDS);
	return Array.from({ length: count }, (_, index) => pick(supply, index).trim()).join(' ');
}

function beforeStop(text: string, stop: ChatRequest['stop']): string {
	const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter(Boolean);
	const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((end) => end >= 0);
	return text.slice(0, Math.min(text.length, ...ends));
}

/**
 * What the simulated model says: the same for the same model and messages. `[words:N]` in the last
 * user message asks for N words, and a request that asks for JSON gets it.
 */
export function answerChat(request: ChatRequest): ChatAnswer {
	const calls = toolCalls(request);
	const all =
		calls.length > 0
			? []
			: tokens(beforeStop(jsonAnswer(request) ?? compose(request), request.stop));
	const pieces = all.slice(0, request.max_tokens ?? all.length);
	const written =
		pieces.length + calls.reduce((sum, call) => sum + 1 + tokens(call.arguments).length, 0);
	const prompt = request.messages.reduce((sum, { content }) => sum + tokens(content).length + 4, 0);
	return {
		content: pieces.join(''),
		pieces,
		calls,
		finishReason: calls.length > 0 ? 'tool_calls' : pieces.length < all.length ? 'length' : 'stop',
		usage: {
			prompt_tokens: prompt,
			completion_tokens: written,
			total_tokens: prompt + written,
		},
	};
}
