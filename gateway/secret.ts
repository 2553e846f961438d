/** Shorter keys stand in ordinary words, and taking them out would spoil every message. */
const SHORTEST_SCRUBBED = 4;
const REPLACEMENT = '[API key removed]';

/** Holds the key so that it does not show when the object is logged or turned into JSON. */
export class Secret {
	readonly #key: string;
	readonly #forms: string[];

	constructor(key: string) {
		this.#key = key;
		const quoted = JSON.stringify(key).slice(1, -1);
		const forms = [
			key,
			encodeURIComponent(key),
			quoted,
			// As PHP and others write a slash in JSON.
			quoted.replaceAll('/', '\\/'),
			Buffer.from(key).toString('base64'),
		];
		this.#forms = key.length < SHORTEST_SCRUBBED ? [] : [...new Set(forms)];
	}

	/** The key itself, for the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Takes the key out of a text that came from the service. */
	scrub(text: string): string {
		return this.#forms.reduce((scrubbed, form) => scrubbed.replaceAll(form, REPLACEMENT), text);
	}
}
