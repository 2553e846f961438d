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

	/** The last value counts, and a missing one changes nothing. Some services send an empty finish reason until the end. */
	keep(target: Fields, name: string, value: unknown): void {
		if (value === '' && name === 'finish_reason') return;
		if (value !== null && value !== undefined && target[name] !== value)
			this.define(target, name, value);
	}

	/** Texts and lists are appended, entries with an index (such as tool calls) are merged by it, anything else is replaced. */
	merge(target: Fields, name: string, value: unknown): void {
		if (value === null || value === undefined) return;
		const old = Object.hasOwn(target, name) ? target[name] : undefined;
		if (old !== undefined && value === '') return;
		if (typeof old === 'string' && typeof value === 'string' && !NAMES.has(name)) {
			// A text that is equal in every chunk is a label, such as the name of a provider.
			if (PIECES.has(name) || old !== value) target[name] = old + value;
		} else if (Array.isArray(value)) {
			const list: unknown[] = Array.isArray(old) ? old : [];
			this.mergeLists(list, value, name === 'tool_calls');
			if (list !== old) this.define(target, name, list);
		} else if (isFields(old) && isFields(value)) {
			for (const field of Object.keys(value)) this.merge(old, field, value[field]);
		} else {
			this.define(target, name, value);
		}
	}

	private mergeLists(list: unknown[], additions: unknown[], areCalls: boolean): void {
		if (additions.length > MAX_ENTRIES && additions.some(isIndexed)) throw tooManyEntries();
		for (const addition of additions) {
			const old = isFields(addition) ? entryOf(list, addition, areCalls) : undefined;
			if (isFields(old) && isFields(addition) && !isOtherCall(old, addition)) {
				for (const field of Object.keys(addition)) this.merge(old, field, addition[field]);
			} else {
				this.count(addition);
				list.push(addition);
			}
			if ((areCalls || isIndexed(addition)) && list.length > MAX_ENTRIES) throw tooManyEntries();
		}
	}

	/** A plain assignment to `__proto__` would change the object's prototype. */
	private define(target: Fields, name: string, value: unknown): void {
		if (!Object.hasOwn(target, name)) this.count(value);
		Object.defineProperty(target, name, {
			value,
			enumerable: true,
			configurable: true,
			writable: true,
		});
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

/** Whether a chunk has more choices, or a choice more tool calls, than any answer. */
export function tooManyChoices(chunk: unknown): boolean {
	const choices =
		isFields(chunk) && Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
	return choices.length > MAX_ENTRIES;
}

export function tooManyEntries(): TooComplexError {
	return new TooComplexError(`it has more than ${MAX_ENTRIES} choices or tool calls`);
}

function isIndexed(entry: unknown): boolean {
	return isFields(entry) && entry.index !== undefined;
}

/** The entry of a list that an addition belongs to. A piece of a tool call without an index or a name belongs to the last. */
function entryOf(list: unknown[], addition: Fields, areCalls: boolean): unknown {
	const { index, id } = addition;
	if (index !== undefined && index !== null)
		return list.findLast((entry) => isFields(entry) && entry.index === index);
	const last = areCalls ? list.at(-1) : undefined;
	const isPiece = isFields(addition.function) && !addition.function.name;
	return isFields(last) && (isPiece || (id && id === last.id)) ? last : undefined;
}

/**
 * Whether a tool call begins under the index of another one, as in Gemini's compatible endpoint. A new ID alone does not
 * tell: some servers make one up for each delta.
 */
function isOtherCall(call: Fields, addition: Fields): boolean {
	const isNew = Boolean(call.id && addition.id) && call.id !== addition.id;
	return isNew && isFields(addition.function) && Boolean(addition.function.name);
}
