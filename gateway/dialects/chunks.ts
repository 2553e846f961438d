import { isEmptied } from '../schemas/input';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, isFields } from '../schemas/responseJson';
import { addsToAnswer, ChoicePieces, isReadable } from './choicePieces';
import { completionIn } from './completion';
import { CountedIndexes } from './countedIndexes';
import { finishReasonIn } from './finishWords';
import { numberIn } from './values';

/** As many chunks as an answer has at most. */
const MAX_WITHHELD = 100_000;

/**
 * The chunks of one stream, as the interface has them. Pieces of other choices than the first are withheld as long as they may be parts of
 * the first, whose chunks the service counts.
 */
export class Chunks {
	/** How many pieces of the answer were withheld so far. */
	withheld = 0;
	private readonly indexes = new CountedIndexes();
	private readonly choices = new Map<number, ChoicePieces>();
	private pieces: Fields[] = [];

	/** The chunks of an event. What is no chunk comes out as it is; undefined stands for a chunk that cannot be read. */
	from(event: unknown): unknown[] {
		const chunk = completionIn(event);
		if (!isFields(chunk) || !Array.isArray(chunk.choices)) return [chunk];
		const { choices } = chunk;
		if (choices.length > MAX_ENTRIES || !choices.every(isFields)) return [chunk];
		const usage = choices.find(({ usage: counts }) => !isEmptied(counts))?.usage;
		const head = usage === undefined ? chunk : { ...chunk, usage };
		if (!this.indexes.mayBeOne) return [this.read(head, choices)];
		const parts = choices.map(partOf);
		this.indexes.add(parts);
		if (!this.indexes.mayBeOne) return [...this.released(), this.read(head, choices)];
		const [piece] = choices;
		const [part] = parts;
		if (!piece || !part || part.index === 0 || !isReadable(piece))
			return [this.read(head, choices)];
		if (this.pieces.length >= MAX_WITHHELD) return [undefined];
		this.pieces.push(piece);
		if (part.hasValue || part.hasEnded) this.withheld += 1;
		// The other fields of a chunk, such as the usage, count in the order in which they come.
		return [{ ...head, choices: [] }];
	}

	/** What is left at the end of the stream. */
	rest(): unknown[] {
		const released = this.released();
		const calls = [...this.choices].flatMap(([index, pieces]) => pieces.rest(index));
		return [...released, ...calls.map((piece) => ({ choices: [piece] }))];
	}

	/** The pieces that were withheld, as those of the first choice if they may be. */
	private released(): unknown[] {
		const { pieces } = this;
		this.pieces = [];
		const indexAs = this.indexes.mayBeOne ? () => 0 : indexOf;
		return pieces.map((piece) => ({ choices: [this.choice(piece, indexAs(piece))] }));
	}

	private read(chunk: Fields, pieces: readonly Fields[]): Fields | undefined {
		const choices = pieces.map((piece) => this.choice(piece, indexOf(piece)));
		if (choices.includes(undefined)) return undefined;
		const isSame = choices.every((choice, at) => choice === pieces[at]);
		return isSame ? chunk : { ...chunk, choices };
	}

	private choice(piece: Fields, index: number): Fields | undefined {
		const pieces = this.choices.get(index) ?? new ChoicePieces();
		this.choices.set(index, pieces);
		return pieces.from(piece, index);
	}
}

function partOf(piece: Fields) {
	return {
		index: indexOf(piece),
		hasValue: addsToAnswer(piece),
		hasEnded: finishReasonIn(piece.finish_reason) !== null,
	};
}

function indexOf({ index }: Fields): number {
	const number = numberIn(index);
	return typeof number === 'number' ? number : 0;
}
