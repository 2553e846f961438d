import { isPieceOfText } from '../dialects';
import { isEmptied } from '../schemas/input';
import {
	type Fields,
	isFields,
	MAX_VALUES,
	plainText,
	TooComplexError,
	valuesIn,
} from '../schemas/responseJson';

/** Fields that name something: the last value counts. */
const NAMING_FIELDS = new Set(['role', 'id', 'type', 'index', 'name']);
/** Merges the fields of one chunk after another into those of a whole answer. */
export class FieldMerger {
	private values = 0;
	/** The entries of a list, by their index. */
	private readonly entries = new WeakMap<unknown[], Map<unknown, Fields>>();

	/** Keeps the last value of a field. A missing or empty value changes nothing. */
	keep(target: Fields, name: string, value: unknown): void {
		if (!isEmptied(value)) this.define(target, name, value);
	}

	/** Appends texts and lists, merges entries that have the same index, and replaces anything else. */
	merge(target: Fields, name: string, value: unknown): void {
		if (isEmptied(value)) return;
		const old = Object.hasOwn(target, name) ? target[name] : undefined;
		if (typeof old === 'string' && typeof value === 'string' && !NAMING_FIELDS.has(name)) {
			// A text that is equal in every chunk is a label, such as the name of a provider.
			if (name === 'content' || isPieceOfText(name) || old !== value) target[name] = old + value;
		} else if (Array.isArray(value)) {
			const list: unknown[] = Array.isArray(old) ? old : [];
			for (const addition of value) this.append(list, addition, name);
			this.define(target, name, list);
		} else if (isFields(old) && isFields(value)) {
			this.mergeAll(old, value);
		} else {
			this.define(target, name, value);
		}
	}

	mergeAll(target: Fields, values: Fields): void {
		for (const name in values) this.merge(target, name, values[name]);
	}

	/**
	 * Counts the values that are kept: a stream may have as many as a response in one piece.
	 * @throws TooComplexError
	 */
	count(value: unknown): void {
		this.values += valuesIn(value);
		if (this.values > MAX_VALUES)
			throw new TooComplexError(`it has more than ${MAX_VALUES.toLocaleString('en')} values`);
	}

	private append(list: unknown[], addition: unknown, name: string): void {
		if (isFields(addition) && !isEmptied(addition.index)) {
			const entries = this.entries.get(list) ?? new Map<unknown, Fields>();
			// OpenRouter gives thoughts of two kinds the same index.
			const isOfKind = name === 'reasoning_details' && typeof addition.type === 'string';
			const key = isOfKind
				? `${plainText(addition.type)} ${JSON.stringify(addition.index)}`
				: addition.index;
			const old = entries.get(key);
			if (old !== undefined) return this.mergeAll(old, addition);
			this.entries.set(list, entries.set(key, addition));
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
}
