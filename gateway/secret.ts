/** Shorter keys stand in ordinary words, and taking them out would spoil every message. */
const SHORTEST_SCRUBBED = 4;
const REPLACEMENT = '[API key removed]';

/** Holds the key so that it does not show when the object is logged or turned into JSON. */
export class Secret {
	readonly #key: string;
	readonly #forms: string[];

	constructor(key: string) {
		this.#key = key;
		const base64 = Buffer.from(key).toString('base64').replace(/=+$/, '');
		this.#forms = key.length < SHORTEST_SCRUBBED ? [] : [key, base64];
	}

	/** The key itself, for the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Takes the key out of a text that came from the service, however the service wrote it. */
	scrub(text: string): string {
		return this.#forms.reduce(
			(scrubbed, form) => removeFolded(scrubbed.replaceAll(form, REPLACEMENT), fold(form).folded),
			text,
		);
	}

	/** Takes the key out of every text in a value of a JSON. */
	scrubJson(value: unknown): unknown {
		if (typeof value === 'string') return this.scrub(value);
		if (Array.isArray(value)) return value.map((entry) => this.scrubJson(entry));
		if (typeof value !== 'object' || value === null) return value;
		const fields = Object.entries(value);
		return Object.fromEntries(
			fields.map(([name, field]) => [this.scrub(name), this.scrubJson(field)]),
		);
	}
}

/** A character escaped for JSON or a script, for an address or for a page, also several times over; or plain ones. */
const WRITTEN =
	/\\{1,7}(?:u00|x)([\da-f]{2})|%(?:25){0,3}([\da-f]{2})|&(?:amp;){0,3}(?:#x0{0,7}([\da-f]{2})|#0{0,7}(\d{2,3})|(amp|lt|gt|quot|apos));|\\{1,7}([^\\])|[^\\%&]+|[^]/gi;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text without its escapes, and where each of its characters begins in the text. */
function fold(text: string): { folded: string; starts: number[] } {
	let folded = '';
	const starts: number[] = [];
	for (const match of text.matchAll(WRITTEN)) {
		const [written, inScript, inAddress, hexadecimal, decimal, entity, quoted] = match;
		const hex = inScript ?? inAddress ?? hexadecimal;
		const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
		const named = entity === undefined ? quoted : ENTITIES[entity.toLowerCase()];
		const piece = named ?? (Number.isNaN(code) ? written : String.fromCharCode(code));
		for (let index = 0; index < piece.length; index += 1) starts.push(match.index + index);
		folded += piece;
	}
	starts.push(text.length);
	return { folded, starts };
}

/** Takes out of a text whatever folds to this. */
function removeFolded(text: string, wanted: string): string {
	if (wanted.length < SHORTEST_SCRUBBED) return text;
	const { folded, starts } = fold(text);
	let rest = '';
	let from = 0;
	for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, from)) {
		rest += text.slice(starts[from], starts[at]) + REPLACEMENT;
		from = at + wanted.length;
	}
	return rest + text.slice(starts[from]);
}
