import { isEmptied, numberIn } from '../schemas/input';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, fieldsOf, isFields } from '../schemas/responseJson';
import { CallArguments, isContinued } from './callArguments';

interface Piece {
	id: unknown;
	name: string;
	text: string;
	hasIndex: boolean;
}

/** One call, as far as its pieces have arrived. */
class Call {
	readonly arguments = new CallArguments();
	id: unknown;
	private name = '';

	/** @param at its index, which no other call has */
	constructor(readonly at: number) {}

	/**
	 * Whether a piece belongs to the next call. A call without an index is known by its ID. Where there is an index, another ID alone
	 * tells nothing: some servers make up an ID for each piece.
	 */
	isBefore({ id, name, text, hasIndex }: Piece): boolean {
		if (name === '') return false;
		const isOtherId = Boolean(this.id && id) && this.id !== id;
		// A tool without parameters may have no arguments (Gemini), and another name is no piece of its name.
		if (isOtherId && !(hasIndex && isContinued(this.name, name))) return true;
		if (!this.arguments.isWhole) return false;
		if (isOtherId) return true;
		return text !== '' && !(this.arguments.isEmptyObject && name === this.name);
	}

	/** What a piece adds to the call, with its whole name. */
	take({ name, text }: Piece): Fields {
		if (isContinued(this.name, name)) this.name = name;
		else if (this.arguments.text === '') this.name += name;
		return { name: this.name, arguments: this.arguments.add(text) };
	}
}

/**
 * Gives each piece of a tool call the index of its call. The interface document does not show them, and services differ in what
 * tells which pieces belong together.
 */
export class ToolCallPieces {
	private readonly calls: Call[] = [];
	/** The newest call of each index; of calls without one, of each position in its chunk. */
	private readonly byIndex = new Map<string, Call>();
	private readonly byId = new Map<unknown, Call>();

	from(pieces: unknown[]): unknown[] {
		if (pieces.length > MAX_ENTRIES) return pieces;
		return pieces.flatMap((piece, position) =>
			isFields(piece) ? [this.pieceFrom(piece, position, pieces.length === 1)] : [],
		);
	}

	/** What the pieces so far were not passed on with. */
	rest(): unknown[] {
		return this.calls.flatMap((call) => {
			const rest = call.arguments.rest();
			return rest === '' ? [] : [{ index: call.at, function: { arguments: rest } }];
		});
	}

	private pieceFrom(fields: Fields, position: number, isAlone: boolean): Fields {
		const { id, index, function: sent, ...others } = fields;
		const { name, arguments: given } = fieldsOf(sent);
		const hasIndex = typeof index === 'number' || (typeof index === 'string' && index !== '');
		const isText = isEmptied(given) || typeof given === 'string';
		const text = isText ? (given ?? '') : JSON.stringify(given);
		const piece = { id, name: typeof name === 'string' ? name : '', text, hasIndex };
		const key = String(hasIndex ? index : position);
		let call = hasIndex
			? this.byIndex.get(key)
			: (this.byId.get(id || undefined) ?? (isAlone ? this.calls.at(-1) : this.byIndex.get(key)));
		if (call === undefined || call.isBefore(piece)) {
			call = new Call(this.freeIndex(index));
			this.calls.push(call);
			this.byIndex.set(key, call);
		}
		const taken = { index: call.at, function: call.take(piece) };
		const isNew = Boolean(id) && isEmptied(call.id);
		if (isNew) {
			call.id = id;
			this.byId.set(id, call);
		}
		return { ...(isNew && { id }), ...withValues(others), ...taken };
	}

	private freeIndex(index: unknown): number {
		const used = this.calls.map(({ at }) => at);
		const own = numberIn(index);
		const isFree = typeof own === 'number' && Number.isSafeInteger(own) && !used.includes(own);
		return isFree ? own : Math.max(-1, ...used) + 1;
	}
}

/** An object without its empty fields. */
function withValues(fields: Fields): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmptied(value)));
}
