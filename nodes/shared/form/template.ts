import { type GatewayError, invalidInput, plainText } from '../../../gateway';

/** In a Fixed field, `{{ name }}` may be meant literally, `{{ $json.name }}` is meant as another text. */
const READS_DATA = /\$[a-z(]/i;

/** The escapes in a string of JSON, and the characters that a string may contain only as escapes. */
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
const BARE = /["\\\p{Cc}]/u;

/** How many characters of an expression an error shows. */
const SHOWN = 100;

/** What V8 calls the expression's own objects. */
const UNNAMED = /^(?:\(intermediate value\))+\.?/;

/** A text of the form before its expressions are evaluated, the same for all items. */
export class Template {
	/** The expressions, with their braces. */
	readonly expressions: string[];
	/** The texts before, between and after the expressions. */
	private readonly texts: string[];

	constructor(
		private readonly path: string,
		private readonly raw: string,
		private readonly isJson: boolean,
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
		return this.expressions.length === 1 && (this.isJson ? around.trim() : around) === '';
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

	/** The text with the texts of its expressions. In JSON, a text stays inside its quotation marks. */
	withTexts(ofExpressions: string[]): string {
		let isQuoted = false;
		const parts = this.texts.map((text, index) => {
			const quotes = text.replace(/\\./gs, '').split('"').length - 1;
			isQuoted = isQuoted !== (quotes % 2 === 1);
			const words = ofExpressions[index] ?? '';
			const isBare = this.isJson && isQuoted && BARE.test(words.replace(ESCAPES, ''));
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

/** What to do about an expression without a value. @param failure what JavaScript says, if the expression fails */
export function aboutGap(failure?: string): string {
	if (failure === undefined)
		return 'Correct the expression: does the input have this field, under this name?';
	return `Correct the expression. JavaScript says: ${failure.replace(UNNAMED, '')}.`;
}

/** The name of a parameter in errors. */
export function nameOf(path: string): string {
	return path.replace('.values', '').replace(/^options\./, '');
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
export function inText(value: unknown): string {
	if (Array.isArray(value)) return value.map(inText).join(',');
	if (typeof value !== 'object' || value === null)
		return Number.isNaN(value) ? '' : plainText(value);
	const { toString } = value as { toString: unknown };
	return typeof toString === 'function'
		? plainText(Reflect.apply(toString, value, []))
		: '[object Object]';
}

export function shortened(code: string): string {
	return code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
}

/** What to write where no value is wanted. */
export function onPurpose(code: string): string {
	return `To leave it empty on purpose, write ${inExpression(code, ' ?? ""')}.`;
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
