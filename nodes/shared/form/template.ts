import { type GatewayError, invalidInput, plainText } from '../../../gateway';

/** A parameter whose value is a text. The texts of a group make the request, or the file, of one item differ from another's. */
interface TextKind {
	isJson?: true;
	group?: 'request' | 'file';
	/** Whether the service refuses an empty one. */
	isRequired?: true;
}

/** By the last name of its path. */
export const TEXTS: Record<string, TextKind> = {
	additionalBody: { isJson: true },
	content: { group: 'request', isRequired: true },
	fileName: { group: 'file' },
	messagesJson: { isJson: true, group: 'request', isRequired: true },
	prompt: { group: 'request', isRequired: true },
	systemMessage: { group: 'request' },
	user: {},
};

/** What an expression inside a text gives: its value, its words where it is an object, and the message of its failure. */
export type Evaluated = [value?: unknown, words?: string, failure?: string];

/** In a Fixed field, `{{ name }}` may be meant literally, `{{ $json.name }}` is meant as another text. */
const READS_DATA = /\$[a-z(]/i;

/** The escapes in a string of JSON, and the characters that a string may contain only as escapes. */
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
const BARE = /["\\\p{Cc}]/u;

/** What n8n puts in the place of a file's data when it stores the file elsewhere. */
const STORED = /^(?:filesystem(?:-v2)?|database|s3)$/;

/** What JavaScript writes for an object inside a text. */
const NO_TEXT = '[object Object]';

/** How many characters of an expression an error shows. */
const SHOWN = 100;

/** A text of the form before its expressions are evaluated, the same for all items. */
export class Template {
	/** The expressions, with their braces. */
	readonly expressions: string[];
	/** The texts before, between and after the expressions. */
	private readonly texts: string[];

	constructor(
		readonly path: string,
		private readonly raw: string,
		readonly kind: TextKind,
	) {
		const parts = split(raw.replace(/^=/, ''));
		const last = (parts.length - 1) / 2;
		this.expressions = parts.filter((_, index) => index % 2 === 1);
		this.texts = parts
			.filter((_, index) => index % 2 === 0)
			// n8n reads two backslashes before an expression as one.
			.map((text, index) => (index < last ? text.replaceAll('\\\\', '\\') : text));
	}

	/**
	 * The text where it is set to Fixed.
	 * @throws GatewayError for an expression, which would be billed as it is, or become the name of a file
	 */
	get fixed(): string {
		const readsData = (code: string) => code.endsWith('}}') && READS_DATA.test(code);
		if (!this.expressions.some(readsData)) return this.raw;
		throw refusedText(
			this.path,
			'contains {{ }} but is set to Fixed',
			"Switch it from Fixed to Expression. To send the braces literally, switch it to Expression, too, and write {{ '{{' }} for the first two.",
		);
	}

	/** Whether the text is one expression and nothing else: then its value is used as it is. */
	get isOnlyExpression(): boolean {
		const around = this.texts.join('');
		return this.expressions.length === 1 && (this.kind.isJson ? around.trim() : around) === '';
	}

	/**
	 * One expression for the value of each, and its words where it is an object: n8n evaluates the expressions of a text together,
	 * and one may change what the next reads. As in n8n, only an error about an expression is one. With n8n's default engine an
	 * object is a copy, and only n8n knows the words of what it copied, such as a date.
	 */
	get allExpressions(): string {
		const each = this.expressions.map((code) => `() => (${withoutBraces(code)}\n)`);
		return `{{ [${each.join(', ')}].map((evaluate) => {
			try {
				const value = evaluate();
				return [value, typeof value === 'object' ? [value].join('') : ''];
			} catch (error) {
				if (/Expression/.test(error.name)) throw error;
				return [undefined, '', String(error.message)];
			}
		}) }}`;
	}

	/**
	 * What n8n writes for an expression between its texts.
	 * @throws GatewayError for what its user does not mean
	 */
	wordsOf(code: string, [value, words]: Evaluated): string {
		const text = inText(value);
		if (code.includes('binary') && STORED.test(text))
			throw refusedText(
				this.path,
				`contains ${shortened(code)}, which has no file, because n8n stores files elsewhere`,
				'Before this node, add an Extract From File node with the operation Move File to Base64 String, and use its field.',
			);
		if (this.isOnlyExpression || typeof value !== 'object' || !text.includes(NO_TEXT)) return text;
		if (words !== undefined && !words.includes(NO_TEXT)) return words;
		throw refusedText(
			this.path,
			`contains ${shortened(code)}, which is an object`,
			`Use one of its fields, or write ${inExpression(code, '.toJsonString()')}.`,
		);
	}

	/** The text with the words of its expressions. In JSON, a text stays inside its quotation marks. */
	withWords(ofExpressions: string[]): string {
		let isQuoted = false;
		const parts = this.texts.map((text, index) => {
			const quotes = text.replace(/\\./gs, '').split('"').length - 1;
			isQuoted = isQuoted !== (quotes % 2 === 1);
			const words = ofExpressions[index] ?? '';
			const isBare = this.kind.isJson && isQuoted && BARE.test(words.replace(ESCAPES, ''));
			return text + (isBare ? JSON.stringify(words).slice(1, -1) : words);
		});
		return parts.join('');
	}
}

/**
 * The refusal of a text.
 * @param message follows the name of the parameter
 */
export function refusedText(path: string, message: string, advice: string): GatewayError {
	const parameter = nameOf(path);
	const nothing = `${advice} Nothing was sent to the service.`;
	return invalidInput(parameter, `${parameter} ${message}`, nothing);
}

/** The name of a parameter in errors: of an option or a message without its collection. */
export function nameOf(path: string): string {
	return path.replace(/\.values?\b/, '').replace(/^\w+\./, '');
}

/** Texts and expressions in turn, as n8n splits them: braces after a backslash are text, the last expression may stay open. */
function split(text: string): string[] {
	// Most texts have none. A search through megabytes has ended with "Maximum call stack size exceeded" on a busy machine.
	if (!text.includes('{{')) return [text];
	const parts = [''];
	for (const [token] of text.matchAll(/\\.|\{\{|\}\}|[^\\{}]{1,1000}|./gs)) {
		const isCode = parts.length % 2 === 0;
		if (token === '{{' && !isCode) parts.push('');
		parts[parts.length - 1] += token;
		if (token === '}}' && isCode) parts.push('');
	}
	return parts.length % 2 === 0 ? [...parts, ''] : parts;
}

/** A value as n8n writes it into a text. */
function inText(value: unknown): string {
	if (Array.isArray(value)) return value.map(inText).join(',');
	if (typeof value !== 'object' || value === null)
		return Number.isNaN(value) ? '' : plainText(value);
	const { toString } = value as { toString: unknown };
	return typeof toString === 'function' ? plainText(Reflect.apply(toString, value, [])) : NO_TEXT;
}

export function shortened(code: string): string {
	return code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
}

/** The expression with `more` appended. */
export function inExpression(code: string, more: string): string {
	const inner = withoutBraces(code).trim();
	if (inner.length > SHOWN) return `{{ (…)${more} }}`;
	return `{{ ${/^[\w$.?[\]"'()]+$/.test(inner) ? inner : `(${inner})`}${more} }}`;
}

/** The braces at the end may be missing. */
function withoutBraces(code: string): string {
	return code.replace(/^\{\{|\}\}$/g, '');
}
