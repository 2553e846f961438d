import { isCodeOfStatus } from './errors/statuses';

/** Characters. Servers take a head of 8 or 16 KiB. */
export const MAX_API_KEY = 16_384;
/** A shorter key may be an ordinary word, such as `ollama`: removing it from a good response would damage the text. */
const MIN_IN_RESPONSES = 16;
/** A shorter key is part of the words of every error. */
const MIN_IN_ERRORS = 4;
/** Searching for a longer text can take seconds. The end of a key is its own: JSON web tokens begin alike. */
const MAX_SEARCHED = 256;
const REPLACEMENT = '[API key removed]';

/**
 * Holds the key so that logging the object or turning it into JSON does not show it, and removes it from texts: as it is,
 * JSON-escaped or percent-encoded.
 */
export class ApiKey {
	readonly #key: string;
	/** The key as JSON has it comes before the key itself, which may end with half an escape. */
	readonly #forms: ReadonlySet<string>;

	constructor(key: string) {
		this.#key = key;
		this.#forms = new Set([encodeURIComponent(key), JSON.stringify(key).slice(1, -1), key]);
	}

	/** The key itself, for the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Removes a key that is not an ordinary word from the text of a response. JSON stays valid JSON. */
	redactResponse(text: string): string {
		return this.#key.length < MIN_IN_RESPONSES ? text : this.redactError(text);
	}

	/** Removes the key from what an error shows of a response. */
	redactError(text: string): string {
		// A code of the document contains no key, and a shorter key is part of every text.
		if (this.#key.length < MIN_IN_ERRORS || isCodeOfStatus(text)) return text;
		return [...this.#forms].reduce(withoutKey, text);
	}

	/** The beginning of a text for an error. The key is removed first: half a key is not recognised. */
	redactStart(text: string, length: number): string {
		const redacted = this.redactError(text);
		return redacted.length > length ? `${redacted.slice(0, length)}…` : redacted;
	}
}

/** Removes what ends like the key, and as much before it as equals the key. */
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
