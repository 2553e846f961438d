import { isEmptied, numberIn } from '../schemas/input';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, hasValue, isFields } from '../schemas/responseJson';
import { completionIn } from './completion';
import { CountedIndexes } from './countedIndexes';
import { finishReasonIn } from './finishWords';
import { firstMessage, messageInChoice, OF_MESSAGE, sentCalls } from './message';
import { ToolCallPieces } from './toolCallPieces';

/** Fields of a choice that are read into its `delta`, or into the chunk. */
const READ_APART = new Set([...OF_MESSAGE, 'usage']);
function hasReadApart(piece: Fields): boolean {
	for (const name in piece) if (name !== 'delta' && READ_APART.has(name)) return true;
	return false;
}

/** The chunks of one stream, as the interface has them. */
export class Chunks {
	private readonly indexes = new CountedIndexes();
	private readonly calls = new Map<number, ToolCallPieces>();
	/** The choices with parts in `delta`: a `message` of these repeats the whole answer. */
	private readonly inDeltas = new Set<number>();

	/**
	 * The chunk of an event: its choices are objects, and the content of each is text or nothing. What is no chunk comes out as it
	 * is; undefined stands for a chunk that cannot be read.
	 */
	from(event: unknown): unknown {
		const chunk = completionIn(event);
		if (!isFields(chunk) || isEmptied(chunk.choices)) return chunk;
		const { choices } = chunk;
		if (!Array.isArray(choices) || choices.length > MAX_ENTRIES || !choices.every(isFields))
			return undefined;
		this.indexes.mayBeOne &&= choices.length < 2;
		const read = choices.map((piece) => this.read(piece));
		if (!read.every(isFields)) return undefined;
		if (this.areOne) read.forEach((piece) => this.indexes.add(piece));
		const usage = choices.find(({ usage: counts }) => !isEmptied(counts))?.usage;
		const isSame = usage === undefined && read.every((piece, at) => piece === choices[at]);
		return isSame ? chunk : { ...chunk, usage: usage ?? chunk.usage, choices: read };
	}

	/** The pieces of calls that were withheld. */
	rest(): unknown[] {
		return [...this.calls].flatMap(([index, calls]) => {
			const tool_calls = calls.rest();
			return tool_calls.length > 0 ? [{ choices: [{ index, delta: { tool_calls } }] }] : [];
		});
	}

	/** Whether all choices are parts of one answer. */
	get areOne(): boolean {
		return this.indexes.mayBeOne;
	}

	/** A piece of a choice as the interface has it: the same, if it is one already; undefined if it cannot be read. */
	private read(piece: Fields): Fields | undefined {
		const number = numberIn(piece.index);
		const index = typeof number === 'number' ? number : 0;
		const delta = this.deltaIn(piece, index);
		if (delta === undefined) return undefined;
		const finish_reason = finishReasonIn(piece.finish_reason);
		const isSame =
			piece.index === index && piece.finish_reason === finish_reason && piece.delta === delta;
		if (isSame && !hasReadApart(piece)) return piece;
		const others = Object.entries(piece).filter(([name]) => !READ_APART.has(name));
		return { ...Object.fromEntries(others), index, delta, finish_reason };
	}

	/** Some services send the whole message as one chunk, others in pieces, and others repeat it at the end. */
	private deltaIn(piece: Fields, index: number): Fields | undefined {
		const own = firstMessage([piece.delta]);
		if (own !== undefined && hasValue(own)) this.inDeltas.add(index);
		const delta =
			this.inDeltas.has(index) || (this.areOne && this.inDeltas.size > 0)
				? own
				: firstMessage([piece.delta, piece.message, messageInChoice(piece)]);
		if (delta === undefined || !('tool_calls' in delta || 'function_call' in delta)) return delta;
		const sent = sentCalls(delta);
		const calls = this.calls.get(index) ?? new ToolCallPieces();
		this.calls.set(index, calls);
		const tool_calls = sent.length > 0 ? calls.from(sent) : undefined;
		return { ...delta, function_call: undefined, tool_calls };
	}
}
