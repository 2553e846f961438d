import { finishReasonIn, textOfContent } from '../schemas/chat';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, isFields, TooComplexError } from '../schemas/responseJson';
import { FieldMerger } from './mergeFields';
import { ToolCallPieces } from './toolCallPieces';

/** Fields of a chunk's choice that are read by themselves. */
const READ_APART = new Set(['index', 'delta', 'message', 'text', 'finish_reason']);

/** A chunk that cannot be read. The answer without it would not be complete. */
export class InvalidChunkError extends Error {}

class Choice {
	readonly message: Fields = {};
	/** The fields beside the message. */
	readonly rest: Fields = {};
	/** The first part of the answer that came for this choice. */
	first: Fields | undefined;
	/** Whether parts came in `delta`: then a `message` repeats the whole answer. */
	hasDeltas = false;
	private calls: ToolCallPieces | undefined;

	constructor(private readonly merger: FieldMerger) {}

	add(part: Fields): void {
		for (const name of Object.keys(part)) {
			if (name !== 'tool_calls') this.merger.merge(this.message, name, part[name]);
			else if (Array.isArray(part.tool_calls)) {
				this.calls ??= new ToolCallPieces(this.merger);
				this.calls.add(part.tool_calls);
			}
		}
	}

	toChoice(index: number): Fields {
		const { message, rest } = this;
		const calls = this.calls?.toList() ?? [];
		// A tool call has no text, which is not the same as an empty text.
		const content = calls.length === 0 && !hasValue(message) ? '' : null;
		const whole = { role: 'assistant', content, ...message };
		return {
			finish_reason: null,
			...rest,
			index,
			message: calls.length === 0 ? whole : { ...whole, tool_calls: calls },
		};
	}
}

/** Assembles the chunks of a stream into the chat completion that the same call returns without streaming. */
export class CompletionAssembler {
	private readonly head: Fields = {};
	private readonly choices = new Map<number, Choice>();
	private readonly merger = new FieldMerger();
	/** Whether each part of the answer came under the next index. */
	private countsUp = true;
	private lastIndex = -Infinity;
	private finished = 0;

	/** Whether every answer seen so far has a finish reason. */
	get isFinished(): boolean {
		return this.finished > 0 && (this.isOneChoice || this.finished === this.choices.size);
	}

	/**
	 * @returns the text that the chunk adds to the first choice, and whether it adds anything to the answer
	 * @throws InvalidChunkError
	 * @throws TooComplexError when the stream has more values or tool calls than any answer
	 */
	add(chunk: Fields): { text: string; isContent: boolean } {
		for (const name of Object.keys(chunk))
			if (name !== 'choices') this.merger.keep(this.head, name, chunk[name]);
		const parts = chunk.choices ?? [];
		if (!Array.isArray(parts) || parts.length > MAX_ENTRIES) throw new InvalidChunkError();
		this.countsUp &&= parts.length < 2;
		let text = '';
		let isContent = false;
		for (const part of parts) {
			if (!isFields(part)) throw new InvalidChunkError();
			const index = Number(part.index ?? 0) || 0;
			const choice = this.choice(index);
			const finishReason = finishReasonIn(part.finish_reason);
			for (const name of Object.keys(part)) {
				if (name === 'logprobs') this.merger.merge(choice.rest, name, part[name]);
				// Some services put the usage into the last choice.
				else if (name === 'usage') this.merger.keep(this.head, name, part[name]);
				else if (!READ_APART.has(name)) this.merger.keep(choice.rest, name, part[name]);
			}
			const added = partOf(part, choice);
			const hasPart = hasValue(added);
			if (hasPart) {
				const isNext = choice.first === undefined && index > this.lastIndex;
				this.countsUp &&= isNext && this.finished === 0;
				this.lastIndex = index;
				choice.first ??= added;
			}
			choice.add(added);
			if (index === 0 && typeof added.content === 'string') text += added.content;
			isContent ||= hasPart || finishReason !== null;
			if (finishReason !== null && choice.rest.finish_reason === undefined) this.finished += 1;
			this.merger.keep(choice.rest, 'finish_reason', finishReason);
		}
		return { text, isContent };
	}

	toCompletion(): Fields {
		const sorted = [...this.choices].sort(([a], [b]) => a - b);
		const [first, ...others] = sorted;
		if (first === undefined || !this.isOneChoice)
			return { ...this.head, choices: sorted.map(([index, choice]) => choice.toChoice(index)) };
		for (const [, { first: part, rest }] of others) {
			if (part !== undefined) first[1].add(part);
			for (const name of Object.keys(rest)) this.merger.merge(first[1].rest, name, rest[name]);
		}
		return { ...this.head, choices: [first[1].toChoice(0)] };
	}

	/** Whether all choices are one answer, whose chunks the service counts in the index. Several answers have several finish reasons. */
	private get isOneChoice(): boolean {
		return this.countsUp && this.finished < 2;
	}

	private choice(index: number): Choice {
		const known = this.choices.get(index);
		if (known !== undefined) return known;
		if (!this.isOneChoice && this.choices.size >= MAX_ENTRIES)
			throw new TooComplexError(`it has more than ${MAX_ENTRIES} choices`);
		const choice = new Choice(this.merger);
		this.merger.count(choice);
		this.choices.set(index, choice);
		return choice;
	}
}

/**
 * What a chunk adds to a choice. Some services send the whole message as one chunk, others in pieces, and others repeat it
 * at the end.
 */
function partOf({ delta, message, text }: Fields, choice: Choice): Fields {
	const given = fieldsIn(delta);
	choice.hasDeltas ||= hasValue(given);
	const part = choice.hasDeltas || isNothing(message) ? given : fieldsIn(message);
	const content = part.content ?? (choice.hasDeltas ? undefined : text);
	if (content === undefined || typeof content === 'string')
		return content === part.content ? part : { ...part, content };
	const joined = textOfContent(content);
	if (joined === undefined) throw new InvalidChunkError();
	return { ...part, content: joined };
}

function fieldsIn(value: unknown): Fields {
	if (isFields(value)) return value;
	if (isNothing(value)) return {};
	throw new InvalidChunkError();
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Whether a message is more than a role. */
function hasValue(message: Fields): boolean {
	return Object.keys(message).some((name) => {
		const value = message[name];
		return name !== 'role' && Boolean(Array.isArray(value) ? value.length : value);
	});
}
