import { isEmptied } from '../schemas/input';
import { TooComplexError } from '../schemas/responseJson';
import { distinctCalls } from '../schemas/toolCalls';
import { type FieldMerger, type Fields, isFields } from './mergeFields';

/** No model calls so many tools at once. */
const MAX_CALLS = 1_000;

/** Finds where JSON objects end without reading their beginning again for each piece. */
class ObjectScan {
	/** Where each object ends. */
	readonly ends: number[] = [];
	private length = 0;
	private depth = 0;
	private isString = false;
	private isEscaped = false;
	private isOther = false;

	/** Whether the text so far is nothing but objects, as far as brackets tell. */
	get isWhole(): boolean {
		return !this.isOther && this.depth === 0 && this.ends.length > 0;
	}

	take(text: string): this {
		for (let at = 0; at < text.length && !this.isOther; at += 1) this.step(text[at]!, at);
		this.length += text.length;
		return this;
	}

	private step(character: string, at: number): void {
		if (this.isEscaped) this.isEscaped = false;
		else if (this.isString) {
			if (character === '\\') this.isEscaped = true;
			else this.isString = character !== '"';
		} else if (character === '{') this.depth += 1;
		else if (character === '}') {
			this.depth -= 1;
			if (this.depth === 0) this.ends.push(this.length + at + 1);
			this.isOther = this.depth < 0 || this.ends.length > MAX_CALLS;
		} else if (character === '"' && this.depth > 0) this.isString = true;
		else if (this.depth === 0) this.isOther = character > ' ';
	}
}

/** The arguments of a call, in pieces that follow each other. */
class Arguments {
	text = '';
	private scan = new ObjectScan();

	take(piece: string): void {
		// Some services begin with an empty object, and some send each piece with all before it, as no JSON goes on.
		const isAnew = this.text.startsWith('{') && piece.startsWith(this.text);
		if (isAnew || (this.text === '{}' && piece !== '')) Object.assign(this, new Arguments());
		this.text += piece;
		this.scan.take(piece);
	}

	get isWhole(): boolean {
		return this.scan.isWhole;
	}

	/** One for each call: some services join the arguments of several. */
	get texts(): string[] {
		const { text, scan } = this;
		if (!scan.isWhole) return [text];
		return scan.ends.map((end, at) => text.slice(scan.ends[at - 1] ?? 0, end));
	}
}

interface Piece {
	id: unknown;
	name: string;
	text: string;
	hasIndex: boolean;
}

/** One call, as far as its pieces have arrived. */
class Call {
	/** All but its name and arguments. */
	readonly fields: Fields = {};
	readonly called: Fields = {};
	readonly arguments = new Arguments();
	private name = '';

	/** @param index where the service wants it, if it says so */
	constructor(readonly index: number) {}

	/** A call without an index is known by its id. An id alone tells nothing: some servers make up one for each piece. */
	isBefore({ id, name, text, hasIndex }: Piece): boolean {
		if (name === '') return false;
		const isOtherId = Boolean(this.fields.id && id) && this.fields.id !== id;
		if (isOtherId && !hasIndex) return true;
		if (!this.arguments.isWhole) return false;
		if (isOtherId) return true;
		return text !== '' && !(this.arguments.text === '{}' && name === this.name);
	}

	take({ name, text }: Piece): void {
		if (name.startsWith(this.name)) this.name = name;
		else if (this.arguments.text === '') this.name += name;
		this.arguments.take(text);
	}

	toFields(): Fields[] {
		const { name, called, fields } = this;
		const { id, ...others } = fields;
		return this.arguments.texts.map((text, at) => ({
			...(id !== undefined && at === 0 && { id }),
			...others,
			function: { ...called, name, arguments: text },
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
		if (pieces.length > MAX_CALLS) throw tooManyCalls();
		pieces.forEach((piece, position) => {
			if (isFields(piece)) this.addPiece(piece, position, pieces.length === 1);
		});
	}

	/** Without the index, which a response without streaming has not either. */
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
			if (this.calls.length >= MAX_CALLS) throw tooManyCalls();
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
		for (const name of Object.keys(called))
			if (!PARTS.has(name)) this.merger.merge(call.called, name, called[name]);
		call.take(piece);
	}
}

/** What a call knows by itself. */
const PARTS = new Set(['id', 'index', 'function', 'name', 'arguments']);

function tooManyCalls(): TooComplexError {
	return new TooComplexError(`it has more than ${MAX_CALLS} tool calls`);
}
