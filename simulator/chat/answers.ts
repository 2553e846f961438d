import { hash } from 'node:crypto';
import type { ChatRequest } from '../endpoints';
import { inChainForm, questionIn } from './chainForms';
import { jsonAnswer } from './jsonAnswers';
import { type ToolCall, toolCalls } from './toolCalls';
import { poemFor, scenesFor, topicalAnswer } from './topics';

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
/** Of a longer message, the rest is not read: expressions over millions of characters may exceed the stack of V8. */
const READ_CHARACTERS = 1_000_000;

const OPENINGS = ['Gladly.', 'Here is my answer.'];

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

/** What a tool returned, in words: a video by its URL, anything else as it is. Newer agents of n8n wrap a text. */
function tell(returned: string): string {
	const wrapped = /^\[\{"response":("(?:[^"\\]|\\.)*")\}\]$/.exec(returned)?.[1];
	const result = wrapped === undefined ? returned : String(JSON.parse(wrapped));
	const url = /https?:[^\s"\\]+\.mp4/.exec(result)?.[0];
	if (url !== undefined) return `Your video is ready. You can watch it here: ${url}`;
	if (/error|failed|could not/i.test(result))
		return `That did not work: ${quote(result, QUOTED_RESULT_CHARACTERS)}`;
	return `I looked it up: ${quote(result, QUOTED_RESULT_CHARACTERS)}`;
}

function lastMessage({ messages }: ChatRequest): string {
	const asked = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
	return asked?.content ?? '';
}

function compose(request: ChatRequest): string {
	const { model, messages } = request;
	const question = questionIn(lastMessage(request));
	const seed = hash('sha256', `${model}\0${question}`, 'buffer').readUInt16BE(0);
	const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
	const tellings = results.flatMap(({ role, content }) => (role === 'tool' ? [tell(content)] : []));
	const opening = question.includes('?') ? 'Good question.' : pick(OPENINGS, seed);
	const sentences =
		tellings.length > 0
			? tellings
			: [`“${quote(question)}” ${opening}`, topicalAnswer(question, seed)];
	const wordCount = /\[words:(\d+)\]/.exec(question)?.[1];
	const system = messages.find(({ role }) => role === 'system')?.content ?? '';
	const text =
		scenesFor(question, system) ?? poemFor(question) ?? inChainForm(request, sentences.join(' '));
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
export function answerChat(sent: ChatRequest, answerTo?: (message: string) => string): ChatAnswer {
	const messages = sent.messages.map((message) => ({
		...message,
		content: message.content.slice(0, READ_CHARACTERS),
	}));
	const request = { ...sent, messages };
	const calls = toolCalls(request);
	const answer = () => answerTo?.(lastMessage(request)) ?? compose(request);
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
