import { MalformedResponseError } from '../errors/gatewayError';
import type { ChatChunk } from '../schemas/chat';

type Fields = Record<string, unknown>;

/** No model returns so many choices or tool calls at once; each one is looked up by its index. */
const MAX_ENTRIES = 1_000;

/** Fields that name something: repeated in a later chunk, they are not appended. */
const NAMES = new Set(['role', 'id', 'type', 'object', 'index', 'name']);

/** Fields of a chunk's choice that are read by themselves. */
const NOT_OF_A_CHOICE = new Set(['index', 'delta', 'message']);

interface Choice {
	message: Fields;
	pieces: string[];
	/** Its other fields. */
	rest: Fields;
}

/** Assembles the chunks of a stream into the chat completion that the same call returns without streaming. */
export class CompletionAssembler {
	private readonly head: Fields = {};
	private readonly choices = new Map<number, Choice>();

	/** Whether every choice seen so far has a finish reason. */
	get isFinished(): boolean {
		const choices = [...this.choices.values()];
		return (
			choices.length > 0 && choices.every(({ rest }) => typeof rest.finish_reason === 'string')
		);
	}

	/** @returns the text that the chunk adds to the first choice */
	add(chunk: ChatChunk): string {
		for (const name of Object.keys(chunk)) {
			if (name !== 'choices') keep(this.head, name, chunk[name]);
		}
		let added = '';
		for (const part of chunk.choices) {
			const index = part.index ?? 0;
			const choice = this.choice(index);
			// Some services that do not stream send the whole message as one chunk; others repeat it at the end.
			const delta = part.delta ?? (isEmpty(choice) ? part.message : undefined) ?? {};
			for (const name of Object.keys(part)) {
				if (!NOT_OF_A_CHOICE.has(name)) keep(choice.rest, name, part[name]);
			}
			for (const name of Object.keys(delta)) {
				if (name !== 'content') merge(choice.message, name, delta[name]);
			}
			const { content } = delta;
			if (typeof content === 'string') choice.pieces.push(content);
			if (index === 0 && content) added += content;
		}
		return added;
	}

	private choice(index: number): Choice {
		const known = this.choices.get(index);
		if (known !== undefined) return known;
		if (this.choices.size >= MAX_ENTRIES) throw tooMany();
		const choice: Choice = { message: {}, pieces: [], rest: {} };
		this.choices.set(index, choice);
		return choice;
	}

	toCompletion(): Fields {
		const choices = [...this.choices].sort(([a], [b]) => a - b);
		return {
			...this.head,
			object: 'chat.completion',
			choices: choices.map(([index, { message, pieces, rest }]) => ({
				finish_reason: null,
				...rest,
				index,
				message: {
					role: 'assistant',
					...message,
					...(Array.isArray(message.tool_calls) && { tool_calls: inOrder(message.tool_calls) }),
					// A tool call has no text, which is not the same as an empty text.
					content: pieces.length === 0 && Object.keys(message).length > 1 ? null : pieces.join(''),
				},
			})),
		};
	}
}

/** Whether nothing of the answer came yet. */
function isEmpty({ message, pieces }: Choice): boolean {
	return pieces.length === 0 && Object.keys(message).every((name) => name === 'role');
}

/** The index only tells which pieces belong together: a response without streaming has none. */
function inOrder(toolCalls: unknown[]): unknown[] {
	const indexOf = (call: unknown) => (isFields(call) ? Number(call.index ?? 0) : 0);
	const sorted = toolCalls.toSorted((a, b) => indexOf(a) - indexOf(b));
	return sorted.map((call) =>
		isFields(call)
			? Object.fromEntries(Object.entries(call).filter(([name]) => name !== 'index'))
			: call,
	);
}

/** The last value counts, and a missing one changes nothing. Some services send an empty finish reason until the end. */
function keep(target: Fields, name: string, value: unknown): void {
	if (value === '' && name === 'finish_reason') return;
	if (value !== null && value !== undefined && target[name] !== value) define(target, name, value);
}

function mergeInto(target: Fields, addition: Fields): void {
	for (const name of Object.keys(addition)) merge(target, name, addition[name]);
}

/** Texts are appended, list entries (such as tool calls) are merged by index, anything else is replaced. */
function merge(target: Fields, name: string, value: unknown): void {
	if (value === null || value === undefined) return;
	const old = Object.hasOwn(target, name) ? target[name] : undefined;
	if (old !== undefined && value === '') return;
	if (typeof old === 'string' && typeof value === 'string' && !NAMES.has(name)) {
		target[name] = old + value;
	} else if (Array.isArray(value)) {
		target[name] = mergeLists(Array.isArray(old) ? (old as unknown[]) : [], value as unknown[]);
	} else if (isFields(old) && isFields(value)) {
		mergeInto(old, value);
	} else {
		define(target, name, isFields(value) ? structuredClone(value) : value);
	}
}

function mergeLists(list: unknown[], additions: unknown[]): unknown[] {
	for (const addition of additions) {
		const index = isFields(addition) ? addition.index : undefined;
		const old =
			index === undefined
				? undefined
				: list.findLast((entry) => isFields(entry) && entry.index === index);
		if (isFields(old) && isFields(addition) && !isOtherCall(old, addition)) {
			mergeInto(old, addition);
		} else list.push(structuredClone(addition));
		if (list.length > MAX_ENTRIES) throw tooMany();
	}
	return list;
}

/**
 * Whether a tool call begins under the index of another one, as in Gemini's compatible endpoint. A new ID alone does not
 * tell: some servers make one up for each delta.
 */
function isOtherCall(call: Fields, addition: Fields): boolean {
	const isNew = Boolean(call.id && addition.id) && call.id !== addition.id;
	return isNew && isFields(addition.function) && Boolean(addition.function.name);
}

function tooMany() {
	return new MalformedResponseError(
		`The stream has more than ${MAX_ENTRIES} choices or tool calls`,
		{ status: 200, bodyStart: '(too long to show)' },
	);
}

/** A plain assignment to `__proto__` would change the object's prototype. */
function define(target: Fields, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});
}

function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
