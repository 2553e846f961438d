import { isEmptied } from '../schemas/input';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, isFields, TooComplexError } from '../schemas/responseJson';
import { distinctCalls } from '../schemas/toolCalls';
import { CallArguments, isContinued } from './callArguments';
import type { FieldMerger } from './mergeFields';

interface Piece {
	id: unknown;
	name: string;
	text: string;
	hasIndex: boolean;
}

/** One call, as far as its pieces have arrived. */
class Call {
	/** All fields but `function`. */
	readonly fields: Fields = {};
	readonly arguments = new CallArguments();
	private name = '';

	/** @param index the place of the call in the answer; `Infinity` if the service does not name it */
	constructor(readonly index: number) {}

	/**
	 * Whether a piece belongs to the next call. A call without an index is known by its ID. Where there is an index, another ID alone
	 * tells nothing: some servers make up an ID for each piece.
	 */
	isBefore({ id, name, text, hasIndex }: Piece): boolean {
		if (name === '') return false;
		const isOtherId = Boolean(this.fields.id && id) && this.fields.id !== id;
		// A tool without parameters may have no arguments (Gemini), and another name is no piece of its name.
		if (isOtherId && !(hasIndex && isContinued(this.name, name))) return true;
		if (!this.arguments.isWhole) return false;
		if (isOtherId) return true;
		return text !== '' && !(this.arguments.text === '{}' && name === this.name);
	}

	take({ name, text }: Piece): void {
		if (isContinued(this.name, name)) this.name = name;
		else if (this.arguments.text === '') this.name += name;
		this.arguments.add(text);
	}

	toFields(): Fields[] {
		const { name, fields } = this;
		const { id, ...others } = fields;
		return this.arguments.texts.map((text, at) => ({
			...(id !== undefined && at === 0 && { id }),
			...others,
			function: { name, arguments: text },
		}));
	}
}

/**
 * Puts the tool calls of a streamed answer together. The interface document does not show them, and services differ in what
 * tells which pieces belong together.
 */
export class ToolCallPieces {
	private readonly calls: Call[] = [];
	/** The newest call of each index; of calls without one, of each position in its chunk. */
	private readonly byIndex = new Map<string, Call>();
	private readonly byId = new Map<unknown, Call>();

	constructor(private readonly merger: FieldMerger) {}

	/** @throws TooComplexError for more calls than any answer has */
	add(pieces: unknown[]): void {
		if (pieces.length > MAX_ENTRIES) throw tooManyCalls();
		pieces.forEach((piece, position) => {
			if (isFields(piece)) this.addPiece(piece, position, pieces.length === 1);
		});
	}

	/** The calls without their index, as in a response without streaming. */
	toList(): Fields[] {
		const sorted = this.calls.toSorted((a, b) => a.index - b.index || 0);
		return distinctCalls(sorted.flatMap((call) => call.toFields()));
	}

	private addPiece(fields: Fields, position: number, isAlone: boolean): void {
		const { id, index } = fields;
		const called = isFields(fields.function) ? fields.function : {};
		const hasIndex = !isEmptied(index);
		const { arguments: given } = called;
		const piece = {
			id,
			name: typeof called.name === 'string' ? called.name : '',
			text: typeof given === 'string' ? given : isEmptied(given) ? '' : JSON.stringify(given),
			hasIndex,
		};
		const key = String(hasIndex ? index : position);
		let call = hasIndex
			? this.byIndex.get(key)
			: (this.byId.get(id || undefined) ?? (isAlone ? this.calls.at(-1) : this.byIndex.get(key)));
		if (call === undefined || call.isBefore(piece)) {
			if (this.calls.length >= MAX_ENTRIES) throw tooManyCalls();
			this.merger.count(fields);
			call = new Call(hasIndex ? Number(index) : Infinity);
			this.calls.push(call);
			this.byIndex.set(key, call);
		}
		if (id && isEmptied(call.fields.id)) {
			call.fields.id = id;
			this.byId.set(id, call);
		}
		for (const name of Object.keys(fields))
			if (!PARTS.has(name)) this.merger.merge(call.fields, name, fields[name]);
		call.take(piece);
	}
}

/** The fields that a call reads by itself. */
const PARTS = new Set(['id', 'index', 'function']);

function tooManyCalls(): TooComplexError {
	return new TooComplexError(`it has more than ${MAX_ENTRIES} tool calls`);
}
