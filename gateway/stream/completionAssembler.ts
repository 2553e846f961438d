import type { ChatChunk } from '../schemas/chat';
import { FieldMerger, type Fields, isFields, MAX_ENTRIES, tooManyEntries } from './mergeFields';

/** Fields of a chunk's choice that are read by themselves. */
const NOT_OF_A_CHOICE = new Set(['index', 'delta', 'message']);

interface Choice {
	message: Fields;
	/** Its other fields. */
	rest: Fields;
}

/** Assembles the chunks of a stream into the chat completion that the same call returns without streaming. */
export class CompletionAssembler {
	private readonly head: Fields = {};
	private readonly choices = new Map<number, Choice>();
	private readonly merger = new FieldMerger();

	/** Whether every choice seen so far has a finish reason. */
	get isFinished(): boolean {
		const choices = [...this.choices.values()];
		return (
			choices.length > 0 && choices.every(({ rest }) => typeof rest.finish_reason === 'string')
		);
	}

	/**
	 * @returns the text that the chunk adds to the first choice
	 * @throws TooComplexError when the stream has more values, choices or tool calls than any answer
	 */
	add(chunk: ChatChunk): string {
		const { merger } = this;
		for (const name of Object.keys(chunk)) merger.keep(this.head, name, chunk[name]);
		let added = '';
		for (const part of chunk.choices) {
			const index = part.index ?? 0;
			const choice = this.choice(index);
			// Some services that do not stream send the whole message as one chunk; others repeat it at the end.
			const delta = part.delta ?? (isEmpty(choice.message) ? part.message : undefined) ?? {};
			for (const name of Object.keys(part)) {
				if (name === 'logprobs') merger.merge(choice.rest, name, part[name]);
				else if (!NOT_OF_A_CHOICE.has(name)) merger.keep(choice.rest, name, part[name]);
			}
			merger.mergeAll(choice.message, delta);
			if (index === 0) added += delta.content ?? '';
		}
		return added;
	}

	private choice(index: number): Choice {
		const known = this.choices.get(index);
		if (known !== undefined) return known;
		if (this.choices.size >= MAX_ENTRIES) throw tooManyEntries();
		const choice: Choice = { message: {}, rest: {} };
		this.choices.set(index, choice);
		return choice;
	}

	toCompletion(): Fields {
		const choices = [...this.choices].sort(([a], [b]) => a - b);
		return {
			...this.head,
			choices: choices.map(([index, { message, rest }]) => ({
				finish_reason: null,
				...rest,
				index,
				message: {
					role: 'assistant',
					// A tool call has no text, which is not the same as an empty text.
					content: isEmpty(message) ? '' : null,
					...message,
					...(Array.isArray(message.tool_calls) && { tool_calls: inOrder(message.tool_calls) }),
				},
			})),
		};
	}
}

/** Whether nothing of the answer came yet. */
function isEmpty(message: Fields): boolean {
	return Object.keys(message).every((name) => name === 'role');
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
