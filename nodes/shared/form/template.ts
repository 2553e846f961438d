import { type GatewayError, invalidInput } from '../../../gateway';

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

/** What an expression inside a text gives: its value, what n8n writes for it, and the message of its failure. */
export type Evaluated = [value: unknown, words: string, failure?: string];

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
	/** Texts and expressions in turn. */
	private readonly parts: string[];

	constructor(
		readonly path: string,
		private readonly raw: string,
		readonly kind: TextKind,
	) {
		this.parts = split(raw.replace(/^=/, ''));
		this.expressions = this.parts.filter((_, index) => index % 2 === 1);
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
		const [before = '', , after = ''] = this.parts;
		const around = before + after;
		return this.expressions.length === 1 && (this.kind.isJson ? around.trim() : around) === '';
	}

	/**
	 * One expression for the value of each, and its words: n8n evaluates the expressions of a text together, and one may change what
	 * the next reads. As in n8n, only an error about an expression is one. With n8n's default engine an object is a copy, and only
	 * n8n knows the words of what it copied, such as a date.
	 */
	get allExpressions(): string {
		const each = this.expressions.map((code) => `() => (${withoutBraces(code)}\n)`);
		return `{{ [${each.join(', ')}].map((evaluate) => {
			try {
				const value = evaluate();
				return [value, Number.isNaN(value) ? '' : [value].join('')];
			} catch (error) {
				if (/Expression/.test(error.name)) throw error;
				return [undefined, '', String(error.message)];
			}
		}) }}`;
	}

	/** @throws GatewayError for a value that its user does not mean */
	check(code: string, [value, words]: Evaluated): void {
		if (code.includes('binary') && STORED.test(words))
			throw refusedText(
				this.path,
				`contains ${shortened(code)}, which has no file, because n8n stores files elsewhere`,
				'Before this node, add an Extract From File node with the operation Move File to Base64 String, and use its field.',
			);
		if (this.isOnlyExpression || typeof value !== 'object' || !words.includes(NO_TEXT)) return;
		throw refusedText(
			this.path,
			`contains ${shortened(code)}, which is an object`,
			`Use one of its fields, or write ${inExpression(code, '.toJsonString()')}.`,
		);
	}

	/** The text with the words of its expressions. In JSON, a text stays inside its quotation marks. */
	withWords(ofExpressions: string[]): string {
		let isQuoted = false;
		const written = this.parts.map((part, index) => {
			const words = ofExpressions[(index - 1) / 2];
			if (words !== undefined) {
				const isBare = this.kind.isJson && isQuoted && BARE.test(words.replace(ESCAPES, ''));
				return isBare ? JSON.stringify(words).slice(1, -1) : words;
			}
			// n8n reads two backslashes before an expression as one.
			const text = index === this.parts.length - 1 ? part : part.replaceAll('\\\\', '\\');
			const quotes = text.replace(/\\./gs, '').split('"').length - 1;
			isQuoted = isQuoted !== (quotes % 2 === 1);
			return text;
		});
		return written.join('');
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

export function shortened(code: string): string {
	return code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
}

/** The expression with `more` appended. */
export function inExpression(code: string, more: string): string {
	const inner = withoutBraces(code);
	if (inner.length > SHOWN) return `{{ (…)${more} }}`;
	return `{{ ${/^[\w$.?[\]"'()]+$/.test(inner) ? inner : `(${inner})`}${more} }}`;
}

/** What is between the braces, of which those at the end may be missing. */
function withoutBraces(code: string): string {
	const inner = code.replace(/^\{\{|\}\}$/g, '').trim();
	return inner.endsWith(';') ? inner.slice(0, -1) : inner;
}
