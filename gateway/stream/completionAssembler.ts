import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, hasValue, isFields, TooComplexError } from '../schemas/responseJson';
import { FieldMerger } from './mergeFields';

/** Some services number the chunks of one answer as its choices. No answer has as many. */
const MAX_CHOICES = 100_000;

/** One choice, as far as its deltas have arrived. */
interface AssembledChoice {
	message: Fields;
	/** The fields beside the message. */
	rest: Fields;
}

/** Assembles the chunks of a stream into the chat completion that the same call returns without streaming. */
export class CompletionAssembler {
	private readonly head: Fields = {};
	private readonly choices = new Map<number, AssembledChoice>();
	private readonly merger = new FieldMerger();

	/** Whether every answer seen so far has a finish reason. */
	get isFinished(): boolean {
		const choices = [...this.choices.values()];
		return choices.length > 0 && choices.every(({ rest }) => 'finish_reason' in rest);
	}

	/**
	 * @returns the text that the chunk adds to the first choice, and whether it adds anything to the answer
	 * @throws TooComplexError when the stream has more values or tool calls than any answer
	 */
	add(chunk: Fields): { text: string; isContent: boolean } {
		for (const name in chunk)
			if (name !== 'choices') this.merger.keep(this.head, name, chunk[name]);
		let text = '';
		let isContent = false;
		for (const part of listIn(chunk.choices)) {
			const index = typeof part.index === 'number' ? part.index : 0;
			const choice = this.choice(index);
			this.keepAll(choice, part);
			const added = isFields(part.delta) ? part.delta : {};
			this.merger.mergeAll(choice.message, added);
			if (listIn(choice.message.tool_calls).length > MAX_ENTRIES)
				throw new TooComplexError(`it has more than ${MAX_ENTRIES} tool calls`);
			if (index === 0 && typeof added.content === 'string') text += added.content;
			isContent ||= hasValue(added) || typeof part.finish_reason === 'string';
		}
		return { text, isContent };
	}

	/** Makes one choice of all. @returns what this adds to the text of the first */
	joinChoices(): string {
		const [first, ...others] = this.inOrder();
		if (first === undefined) return '';
		const [index, choice] = first;
		const passedOn = index === 0 ? textOfChoice(choice).length : 0;
		for (const [, { message, rest }] of others) {
			this.merger.mergeAll(choice.message, message);
			this.keepAll(choice, rest);
		}
		this.choices.clear();
		this.choices.set(0, choice);
		return textOfChoice(choice).slice(passedOn);
	}

	private inOrder(): Array<[index: number, choice: AssembledChoice]> {
		return [...this.choices].sort(([a], [b]) => a - b);
	}

	private keepAll({ rest }: AssembledChoice, fields: Fields): void {
		for (const name in fields) {
			if (name === 'logprobs') this.merger.merge(rest, name, fields[name]);
			else if (name !== 'index' && name !== 'delta') this.merger.keep(rest, name, fields[name]);
		}
	}

	toCompletion(): Fields {
		const choices = this.inOrder().map(([index, choice]) => toChoice(index, choice));
		return { ...this.head, object: 'chat.completion', choices };
	}

	private choice(index: number): AssembledChoice {
		const known = this.choices.get(index);
		if (known !== undefined) return known;
		if (this.choices.size >= MAX_CHOICES)
			throw new TooComplexError(`it has more than ${MAX_CHOICES.toLocaleString('en')} choices`);
		const choice = { message: {}, rest: {} };
		this.merger.count(choice);
		this.choices.set(index, choice);
		return choice;
	}
}

const textOfChoice = ({ message }: AssembledChoice) =>
	typeof message.content === 'string' ? message.content : '';

function toChoice(index: number, { message, rest }: AssembledChoice): Fields {
	const { tool_calls: pieces, ...others } = message;
	const calls = listIn(pieces);
	// A tool call has no text, which is not the same as an empty text.
	const content = calls.length === 0 && !hasValue(message) ? '' : null;
	const whole = { role: 'assistant', content, ...others };
	const sorted = calls.toSorted((a, b) => indexOfCall(a) - indexOfCall(b) || 0);
	// Without their index, as in a response without streaming.
	const tool_calls = sorted.map((call) =>
		Object.fromEntries(Object.entries(call).filter(([name]) => name !== 'index')),
	);
	return {
		index,
		message: calls.length === 0 ? whole : { ...whole, tool_calls },
		finish_reason: null,
		...rest,
	};
}

const indexOfCall = ({ index }: Fields) => (typeof index === 'number' ? index : Infinity);

const listIn = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : []);
