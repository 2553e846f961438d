/** Shorter keys stand in ordinary words, and taking them out would spoil every message. */
const SHORTEST_SCRUBBED = 4;
/** A shorter row of base64 signs can stand by chance in an inline video. */
const SHORTEST_INNER = 8;
const REPLACEMENT = '[API key removed]';

/** Holds the key so that it does not show when the object is logged or turned into JSON. */
export class ApiKey {
	readonly #key: string;
	readonly #forms: string[];
	/** None of the forms is where none of these is: each of them holds one. */
	readonly #signs: string[];
	readonly #unescapedForms: string[];

	constructor(key: string) {
		this.#key = key;
		const forms = [key, JSON.stringify(key).slice(1, -1), ...base64Forms(key)];
		this.#forms = key.length < SHORTEST_SCRUBBED ? [] : [...new Set(forms)];
		this.#signs = this.#forms.filter(
			(form) => !this.#forms.some((other) => other !== form && form.includes(other)),
		);
		this.#unescapedForms = this.#forms
			.map(unescapeAll)
			.filter((form) => form.length >= SHORTEST_SCRUBBED);
	}

	/** The key itself, for the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Takes the key out of a text that came from the service, however the service wrote it. */
	redact(text: string): string {
		const scrubbed = this.#signs.some((sign) => text.includes(sign))
			? this.#forms.reduce((rest, form) => rest.replaceAll(form, REPLACEMENT), text)
			: text;
		if (!/[\\%&]/.test(scrubbed)) return scrubbed;
		const unescaped = unescapeAll(scrubbed);
		const found = this.#unescapedForms.filter((form) => unescaped.includes(form));
		return found.reduce(removeEscaped, scrubbed);
	}
}

/** The key in base64: alone, as the header that carries it, and inside any other text. */
function base64Forms(key: string): string[] {
	const whole = [key, `Bearer ${key}`].map((text) => toBase64(text).replace(/=+$/, ''));
	// Where the key begins within three bytes decides what it looks like; the signs at its ends hold its neighbours, too.
	const inner = [0, 1, 2].map((bytesBefore) => {
		const signs = Math.floor(((bytesBefore + key.length) * 8) / 6);
		return toBase64('-'.repeat(bytesBefore) + key).slice(Math.ceil((bytesBefore * 8) / 6), signs);
	});
	const forms = [...whole.reverse(), ...inner.filter((form) => form.length >= SHORTEST_INNER)];
	return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

function toBase64(text: string): string {
	return Buffer.from(text).toString('base64');
}

/** A character escaped for JSON or a script, for an address or for a page, also several times over. */
const ESCAPED =
	/\\{1,7}(?:u00|x)([\da-f]{2})|%(?:25){0,3}([\da-f]{2})|&(?:amp;){0,3}(?:#x0{0,7}([\da-f]{2})|#0{0,7}(\d{2,3})|(amp|lt|gt|quot|apos));|\\{1,7}([^\\\w])/gi;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeAll(text: string): string {
	return text.replace(ESCAPED, characterOf);
}

function characterOf(_escape: string, ...parts: Array<string | undefined>): string {
	const [inScript, inAddress, hexadecimal, decimal, entity, sign] = parts;
	const hex = inScript ?? inAddress ?? hexadecimal;
	if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
	if (decimal !== undefined) return String.fromCharCode(Number(decimal));
	return sign ?? ENTITIES[entity?.toLowerCase() ?? ''] ?? '?';
}

/** Takes out of a text whatever is `form` without its escapes. */
function removeEscaped(text: string, form: string): string {
	const unescaped = unescapeAll(text);
	const placeOf = placesIn(text);
	let rest = '';
	let end = 0;
	for (
		let at = unescaped.indexOf(form);
		at !== -1;
		at = unescaped.indexOf(form, at + form.length)
	) {
		rest += text.slice(end, placeOf(at)) + REPLACEMENT;
		end = placeOf(at + form.length);
	}
	return rest + text.slice(end);
}

/** Tells where a place of the unescaped text lies in the text; to be asked for one place after the other. */
function placesIn(text: string): (unescapedPlace: number) => number {
	const escapes = text.matchAll(ESCAPED);
	let next = escapes.next();
	let place = 0;
	let unescapedPlace = 0;
	return (wanted) => {
		while (!next.done && unescapedPlace + next.value.index - place < wanted) {
			unescapedPlace += next.value.index - place + 1;
			place = next.value.index + next.value[0].length;
			next = escapes.next();
		}
		return place + wanted - unescapedPlace;
	};
}
