import { isCodeOfStatus } from './errors/statuses';

/** Characters. The head of a request has 8 or 16 KiB at most. */
export const MAX_API_KEY = 16_384;
/** A shorter key may be an ordinary word, such as `ollama`: to remove it from a good response would damage the text. */
const MIN_IN_RESPONSES = 16;
/** A shorter key is a part of the words of any error. */
const MIN_IN_ERRORS = 4;
/** To search for a longer text can take seconds. Of a longer key its end is searched for, since JSON web tokens begin alike. */
const MAX_SEARCHED = 256;
export const REPLACEMENT = '[API key removed]';

/**
 * The API key of requests, which neither a log nor JSON of this object shows. A text of a run of a node shows none of the keys
 * of the run.
 */
export class ApiKey {
	readonly #key: string;
	readonly #ring: KeyRing;

	/** @param ring the keys of the run */
	constructor(key: string, ring = new KeyRing()) {
		this.#key = key;
		this.#ring = ring;
		ring.add(key);
	}

	/** For the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Removes keys that are no ordinary words from the text of a response. JSON stays valid JSON. */
	redactResponse(text: string): string {
		return this.#ring.removeFrom(text, MIN_IN_RESPONSES);
	}

	/** Removes the keys from a text of a response in an error. */
	redactError(text: string): string {
		// A code of the document contains no key.
		return isCodeOfStatus(text) ? text : this.#ring.removeFrom(text, MIN_IN_ERRORS);
	}

	/** The beginning of a text for an error. The key is removed first: half a key is not recognised. */
	redactStart(text: string, length: number): string {
		const redacted = this.redactError(text);
		return redacted.length > length ? `${redacted.slice(0, length)}…` : redacted;
	}
}

/** The keys of one run of a node: one for each credential of its items. */
export class KeyRing {
	readonly #keys = new Set<string>();
	/**
	 * Each key as it is, JSON-escaped and percent-encoded. The longest first: a key may contain another one, and the key itself may end
	 * with half an escape of JSON.
	 */
	readonly #forms: Array<{ text: string; keyLength: number }> = [];

	add(key: string): void {
		if (key.length < MIN_IN_ERRORS || this.#keys.has(key)) return;
		this.#keys.add(key);
		const texts = new Set([encodeURIComponent(key), JSON.stringify(key).slice(1, -1), key]);
		for (const text of texts) this.#forms.push({ text, keyLength: key.length });
		this.#forms.sort((a, b) => b.text.length - a.text.length);
	}

	/** Removes the keys that have at least so many characters. */
	removeFrom(text: string, minLength: number): string {
		return this.#forms.reduce(
			(rest, form) => (form.keyLength < minLength ? rest : withoutKey(rest, form.text)),
			text,
		);
	}
}

/** Removes each end of the key, with as much before it as equals the key. */
function withoutKey(text: string, key: string): string {
	const ending = key.slice(-MAX_SEARCHED);
	let [kept, end] = ['', 0];
	for (let at = text.indexOf(ending); at !== -1; at = text.indexOf(ending, end)) {
		let [start, before] = [at, key.length - ending.length];
		while (before > 0 && start > end && text[start - 1] === key[before - 1])
			[start, before] = [start - 1, before - 1];
		kept += text.slice(end, start) + REPLACEMENT;
		end = at + ending.length;
	}
	return end === 0 ? text : kept + text.slice(end);
}
