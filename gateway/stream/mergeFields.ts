import { isEmptied } from '../schemas/input';
import { MAX_VALUES, TooComplexError, valuesIn } from '../schemas/responseJson';

export type Fields = Record<string, unknown>;

/** No model returns so many choices or tool calls at once; each one is looked up by its index. */
export const MAX_ENTRIES = 1_000;

/** Fields that name something: the last value counts. */
const NAMES = new Set(['role', 'id', 'type', 'index', 'name']);
/** Text that comes in pieces, which may be equal. */
const PIECES = new Set([
	'content',
	'text',
	'reasoning',
	'reasoning_content',
	'reasoning_text',
	'thinking',
	'summary',
	'refusal',
	'arguments',
	'data',
	'transcript',
]);

/** Merges the fields of one chunk after another into those of a whole answer. */
export class FieldMerger {
	private values = 0;

	/** The last value counts, and a missing or empty one changes nothing. */
	keep(target: Fields, name: string, value: unknown): void {
		if (!isEmptied(value)) this.define(target, name, value);
	}

	/** Texts and lists are appended, entries with an index (such as tool calls) are merged by it, anything else is replaced. */
	merge(target: Fields, name: string, value: unknown): void {
		if (isEmptied(value)) return;
		const old = Object.hasOwn(target, name) ? target[name] : undefined;
		if (typeof old === 'string' && typeof value === 'string' && !NAMES.has(name)) {
			// A text that is equal in every chunk is a label, such as the name of a provider.
			if (PIECES.has(name) || old !== value) target[name] = old + value;
		} else if (Array.isArray(value)) {
			const list: unknown[] = Array.isArray(old) ? old : [];
			for (const addition of value) this.append(list, addition);
			this.define(target, name, list);
		} else if (isFields(old) && isFields(value)) {
			this.mergeAll(old, value);
		} else {
			this.define(target, name, value);
		}
	}

	mergeAll(target: Fields, values: Fields): void {
		for (const name of Object.keys(values)) this.merge(target, name, values[name]);
	}

	private append(list: unknown[], addition: unknown): void {
		if (isFields(addition)) {
			const old = entryOf(list, addition);
			if (old !== undefined) return this.mergeAll(old, addition);
			if (isIndexed(addition) && list.length >= MAX_ENTRIES) throw tooManyEntries();
		}
		this.count(addition);
		list.push(addition);
	}

	private define(target: Fields, name: string, value: unknown): void {
		if (Object.hasOwn(target, name)) {
			target[name] = value;
			return;
		}
		this.count(value);
		// A plain assignment to `__proto__` would change the object's prototype.
		Object.defineProperty(target, name, { value, enumerable: true, writable: true });
	}

	/** A stream may have as many values as a response in one piece. */
	private count(value: unknown): void {
		this.values += valuesIn(value);
		if (this.values > MAX_VALUES)
			throw new TooComplexError(`it has more than ${MAX_VALUES.toLocaleString('en')} values`);
	}
}

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function tooManyEntries(): TooComplexError {
	return new TooComplexError(`it has more than ${MAX_ENTRIES} choices or tool calls`);
}

function isIndexed({ index }: Fields): boolean {
	return index !== undefined && index !== null;
}

/** The entry of a list that an addition belongs to. A piece of a tool call without an index or a name belongs to the last. */
function entryOf(list: unknown[], addition: Fields): Fields | undefined {
	const isPiece = isFields(addition.function) && !addition.function.name;
	const entry = isIndexed(addition)
		? list.findLast((one) => isFields(one) && one.index === addition.index)
		: isPiece && list.at(-1);
	return isFields(entry) && !isOtherCall(entry, addition) ? entry : undefined;
}

/**
 * Whether a tool call begins under the index of another one, as in Gemini's compatible endpoint. A new ID alone does not
 * tell: some servers make one up for each delta.
 */
function isOtherCall(call: Fields, addition: Fields): boolean {
	const isNew = Boolean(call.id && addition.id) && call.id !== addition.id;
	return isNew && isFields(addition.function) && Boolean(addition.function.name);
}
