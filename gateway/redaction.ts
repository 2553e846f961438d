/** A shorter key may be an ordinary word, such as `ollama`: removing it from a good response would damage the text. */
const MIN_IN_RESPONSES = 16;
/** A shorter key is part of the words of every error. */
const MIN_IN_ERRORS = 4;
/** Fewer characters of base64 can occur by chance in an inline video. */
const MIN_INNER = 8;
const REPLACEMENT = '[API key removed]';

/** Holds the key so that logging the object or turning it into JSON does not show it. */
export class ApiKey {
	readonly #key: string;
	/** A text without any of these, and without a character that begins an escape, does not contain the key. */
	readonly #fragments: string[];
	#everyForm: RegExp | undefined;

	constructor(key: string) {
		this.#key = key;
		const encoded = base64Forms(key).flatMap((form) => [form, forUrls(form)]);
		const forms = [...new Set([key, ...encoded])];
		this.#fragments = forms.filter(
			(form) => !forms.some((other) => other !== form && form.includes(other)),
		);
	}

	/** The key itself, for the Authorization header alone. */
	reveal(): string {
		return this.#key;
	}

	/** Removes a key that is not an ordinary word from the text of a response. JSON stays valid JSON. */
	redactResponse(text: string): string {
		return this.#key.length < MIN_IN_RESPONSES ? text : this.#redact(text);
	}

	/** Removes the key from what an error shows of a response. */
	redactError(text: string): string {
		return this.#key.length < MIN_IN_ERRORS ? text : this.#redact(text);
	}

	/** Removes the key from all texts of an error that is a JSON value. One nested too deep to serialise is dropped. */
	redactValue(error: unknown): unknown {
		try {
			const json = JSON.stringify(error, (_name, value: unknown) =>
				typeof value === 'string' ? this.redactError(value) : value,
			);
			return JSON.parse(json) as unknown;
		} catch {
			return undefined;
		}
	}

	#redact(text: string): string {
		if (!this.#fragments.some((fragment) => text.includes(fragment)) && !/[\\%&]/.test(text))
			return text;
		this.#everyForm ??= everyForm(this.#key);
		return text.replace(this.#everyForm, REPLACEMENT);
	}
}

/** The key in base64: alone, as the header that carries it, and inside any other text. */
function base64Forms(key: string): string[] {
	const whole = [`Bearer ${key}`, key].map((text) => toBase64(text).replace(/={1,2}$/, ''));
	// The form depends on where the key begins within three bytes; its first and last characters also encode its neighbours.
	const inner = [0, 1, 2].map((bytesBefore) => {
		const end = Math.floor(((bytesBefore + key.length) * 8) / 6);
		return toBase64('-'.repeat(bytesBefore) + key).slice(Math.ceil((bytesBefore * 8) / 6), end);
	});
	return [...whole, ...inner.filter((form) => form.length >= MIN_INNER)];
}

function toBase64(text: string): string {
	return Buffer.from(text).toString('base64');
}

function forUrls(base64: string): string {
	return base64.replaceAll('+', '-').replaceAll('/', '_');
}

/** Finds the key in every form a server may write: plain, with any of its characters escaped, and in base64. */
function everyForm(key: string): RegExp {
	const plain = [...key].map(escapable).join('');
	const encoded = base64Forms(key).map((form) => [...form].map(inBase64).join(''));
	return new RegExp([plain, ...encoded].join('|'), 'g');
}

function inBase64(character: string): string {
	if (character === '+') return `(?:${escapable('+')}|-)`;
	return character === '/' ? `(?:${escapable('/')}|_)` : character;
}

const ENTITIES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/** A character, plain or escaped for JSON or a script, for a URL or for HTML, even several times over. */
function escapable(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
	const entity = ENTITIES[character];
	return `(?:${[
		/\w/.test(character) ? character : `\\\\{0,7}\\${character}`,
		`\\\\{1,7}(?:u00|x)${hex}`,
		`%(?:25){0,3}${hex}`,
		`&(?:amp;){0,3}(?:#[xX]0{0,7}${hex}|#0{0,7}${code}${entity === undefined ? '' : `|${entity}`});`,
	].join('|')})`;
}
