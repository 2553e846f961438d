import { isEmptied } from '../schemas/input';
import { type Fields, isFields } from '../schemas/responseJson';
import { finishReasonIn } from './finishWords';
import {
	asMessage,
	sentCalls,
	contentIn,
	hasValue,
	isContent,
	messageInChoice,
	OF_MESSAGE,
} from './message';
import { ToolCallPieces } from './toolCallPieces';

/** Fields of a choice that are read into its `delta`, or into the chunk. */
const READ_APART = new Set([...OF_MESSAGE, 'usage']);

/** One choice of a stream: each piece of it comes out with the `delta` of the interface. */
export class ChoicePieces {
	/** Whether parts came in `delta`: then a `message` repeats the whole answer. */
	private hasDeltas = false;
	private readonly calls = new ToolCallPieces();

	/** A piece as the interface has it: the same, if it is one already; undefined if it cannot be read. */
	from(piece: Fields, index: number): Fields | undefined {
		const delta = this.deltaIn(piece);
		if (delta === undefined) return undefined;
		const finish_reason = finishReasonIn(piece.finish_reason);
		const isSame =
			piece.index === index && piece.finish_reason === finish_reason && piece.delta === delta;
		if (isSame && !Object.keys(piece).some(isReadApart)) return piece;
		const others = Object.entries(piece).filter(([name]) => !READ_APART.has(name));
		return { ...Object.fromEntries(others), index, delta, finish_reason };
	}

	/** The pieces of calls that were withheld. */
	rest(index: number): Fields[] {
		const tool_calls = this.calls.rest();
		return tool_calls.length > 0 ? [{ index, delta: { tool_calls } }] : [];
	}

	/** Some services send the whole message as one chunk, others in pieces, and others repeat it at the end. */
	private deltaIn(piece: Fields): Fields | undefined {
		if (!isPart(piece.delta) || !isPart(piece.message)) return undefined;
		const own = asMessage(piece.delta);
		this.hasDeltas ||= hasValue(own);
		const part = this.hasDeltas ? own : (placesIn(piece).find(hasValue) ?? own);
		const content = contentIn(part.content);
		if (!isContent(content)) return undefined;
		const delta = content === part.content ? part : { ...part, content };
		return 'tool_calls' in delta || 'function_call' in delta ? this.withCalls(delta) : delta;
	}

	private withCalls(delta: Fields): Fields {
		const pieces = sentCalls(delta);
		const tool_calls = pieces.length > 0 ? this.calls.from(pieces) : undefined;
		return { ...delta, function_call: undefined, tool_calls };
	}
}

const isReadApart = (name: string) => name !== 'delta' && READ_APART.has(name);

/** Where a piece may have what it adds. */
function placesIn(piece: Fields): Fields[] {
	return [asMessage(piece.delta), asMessage(piece.message), messageInChoice(piece)];
}

/** Whether a piece is more than a role. */
export function addsToAnswer(piece: Fields): boolean {
	return placesIn(piece).some(hasValue);
}

/** Whether a piece can be read, wherever it has what it adds. */
export function isReadable(piece: Fields): boolean {
	const hasParts = isPart(piece.delta) && isPart(piece.message);
	return hasParts && placesIn(piece).every(({ content }) => isContent(contentIn(content)));
}

function isPart(value: unknown): boolean {
	const isNothing = isEmptied(value) || (Array.isArray(value) && value.length === 0);
	return isNothing || isFields(value) || typeof value === 'string';
}
