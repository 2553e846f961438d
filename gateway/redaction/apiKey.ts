import { nextTurn } from '../clock';
import { isCodeOfStatus } from '../errors/statuses';
import { Form, KeySearch } from './keySearch';

/** Characters. Servers take a head of 8 or 16 KiB. */
export const MAX_API_KEY = 16_384;
/** A shorter key may be an ordinary word, such as `ollama`: removing it from a good response would damage the text. */
const MIN_IN_RESPONSES = 16;
/** A shorter key is part of the words of every error. */
const MIN_IN_ERRORS = 4;
/** Fewer characters of base64 can occur by chance in an inline video. */
const MIN_INNER = 8;
/** What the longest key takes when each of its characters is escaped, such as `&amp;#x0061;`. */
const MAX_ESCAPED_KEY = 14 * MAX_API_KEY;
const REPLACEMENT = '[API key removed]';

/** Holds the key so that logging the object or turning it into JSON does not show it. */
export class ApiKey {
	readonly #key: string;
	/** How the key begins in each form: a text without any of these, and without an escape, does not contain it. */
	readonly #beginnings: string[];
	#forms: Form[] | undefined;

	constructor(key: string) {
		this.#key = key;
		const encoded = base64Forms(key);
		const forms = [key, ...encoded, ...encoded.map(forUrls)];
		this.#beginnings = forms.map((form) => form.slice(0, MIN_INNER));
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
		return lastOf(this.#redact(text, false));
	}

	/** As {@link redactResponse}. While it searches a long text, other work has its turn. */
	redactLongResponse(text: string): Promise<string> {
		const isShort = this.#key.length < MIN_IN_RESPONSES;
		return isShort ? Promise.resolve(text) : this.redactLongError(text);
	}

	/** As {@link redactError}. While it searches a long text, other work has its turn. */
	async redactLongError(text: string): Promise<string> {
		const steps = this.#redact(text, false);
		let step = steps.next();
		for (; step.done !== true; step = steps.next()) await nextTurn();
		return step.value;
	}

	/** The beginning of a text for an error, without the key, nor the part of it that is cut off. */
	redactStart(text: string, length: number): string {
		const read = text.slice(0, length + MAX_ESCAPED_KEY);
		const redacted = lastOf(this.#redact(read, read.length < text.length));
		const isCut = redacted.length > length || read.length < text.length;
		return isCut ? `${redacted.slice(0, length)}…` : redacted;
	}

	/** In steps of some hundredths of a second. */
	*#redact(text: string, isCut: boolean): Generator<void, string> {
		// A code of the document contains no key, and a shorter key is part of every text.
		if (this.#key.length < MIN_IN_ERRORS || isCodeOfStatus(text)) return text;
		let redacted = text;
		for (const readsPercent of [true, false]) {
			// Two digits of the key after a percent sign may be read as an escape, or as themselves.
			if (readsPercent ? !this.#mayBeIn(text) : !/%[\da-f]/i.test(redacted)) break;
			this.#forms ??= [this.#key, ...base64Forms(this.#key)].map((form) => new Form(form));
			const search = new KeySearch(redacted, this.#forms, readsPercent);
			while (search.step()) yield;
			redacted = search.replaced(REPLACEMENT, isCut);
		}
		return redacted;
	}

	#mayBeIn(text: string): boolean {
		return /[\\%&]/.test(text) || this.#beginnings.some((beginning) => text.includes(beginning));
	}
}

function lastOf(steps: Generator<void, string>): string {
	let step = steps.next();
	while (step.done !== true) step = steps.next();
	return step.value;
}

/**
 * The key in base64, inside any other text. The form depends on where the key begins within three bytes; its first and last
 * characters also encode its neighbours. A short key is found alone, and as the header that carries it.
 */
function base64Forms(key: string): string[] {
	const inner = [0, 1, 2].map((bytesBefore) => {
		const end = Math.floor(((bytesBefore + key.length) * 8) / 6);
		return toBase64('-'.repeat(bytesBefore) + key).slice(Math.ceil((bytesBefore * 8) / 6), end);
	});
	const whole = [`Bearer ${key}`, key].map((text) => toBase64(text).replace(/={1,2}$/, ''));
	return inner.every((form) => form.length >= MIN_INNER) ? inner : whole;
}

function toBase64(text: string): string {
	return Buffer.from(text).toString('base64');
}

function forUrls(base64: string): string {
	return base64.replaceAll('+', '-').replaceAll('/', '_');
}
