import { hasValue, MESSAGE_FIELDS } from '../schemas/answerMessage';
import { finishReasonIn } from '../schemas/finishReason';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, isFields, TooComplexError } from '../schemas/responseJson';
import { Choice, InvalidChunkError, partOf } from './choicePieces';
import { FieldMerger } from './mergeFields';

/** Fields of a chunk's choice that are read by themselves, those of a message among them. */
const READ_APART = new Set([
	'index',
	'delta',
	'message',
	'text',
	'finish_reason',
	...MESSAGE_FIELDS,
]);

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
