import { isCodeOfStatus } from './errors/statuses';

/** Characters. The head of a request has 8 or 16 KiB at most. */
export const MAX_API_KEY = 16_384;
/** A shorter key may be an ordinary word, such as `ollama`: to remove it from a good response would damage the text. */
const MIN_IN_RESPONSES = 16;
/** A shorter key is a part of the words of any error. */
const MIN_IN_ERRORS = 4;
/** To search for a longer text can take seconds. Of a longer key its end is searched for, since JSON web tokens begin alike. */
const MAX_SEARCHED = 256;
const REPLACEMENT = '[API key removed]';

/**
 * The API key, which neither a log nor JSON of this object shows. It is removed from texts as it is, JSON-escaped and
 * percent-encoded.
 */
export class ApiKey {
	readonly #key: string;
	/** The JSON-escaped key comes before the key itself, which may end with half an escape. */
	readonly #forms: ReadonlySet<string>;

	constructor(key: string) {
		this.#key = key;
		this.#forms = new Set([encodeURIComponent(key), JSON.stringify(key).slice(1, -1), key]);
	}

	/** For the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Removes a key that is not an ordinary word from the text of a response. JSON stays valid JSON. */
	redactResponse(text: string): string {
		return this.#key.length < MIN_IN_RESPONSES ? text : this.redactError(text);
	}

	/** Removes the key from a text of a response in an error. */
	redactError(text: string): string {
		// A code of the document contains no key.
		if (this.#key.length < MIN_IN_ERRORS || isCodeOfStatus(text)) return text;
		return [...this.#forms].reduce(withoutKey, text);
	}

	/** The beginning of a text for an error. The key is removed first: half a key is not recognised. */
	redactStart(text: string, length: number): string {
		const redacted = this.redactError(text);
		return redacted.length > length ? `${redacted.slice(0, length)}…` : redacted;
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
